import { ChevronDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { classes } from '../class-names.ts';
import { FieldFrame, INPUT_CLASSES } from './field.tsx';

export interface SelectOption<T extends string> {
  value: T;
  label: string;
}

export interface SelectProps<T extends string> extends Omit<
  ComponentProps<'select'>,
  'id' | 'value' | 'onChange' | 'children'
> {
  label: string;
  /** Shows the label to screen readers only, where the context makes it clear. */
  isLabelHidden?: boolean;
  hint?: ReactNode;
  problem?: string | undefined;
  options: readonly SelectOption<T>[];
  value: T;
  onChange: (value: T) => void;
}

/** The native select: phones, keyboards and screen readers support it best. */
export function Select<T extends string>(props: SelectProps<T>) {
  const { label, isLabelHidden = false, hint, problem, options, value, onChange, className, ...rest } = props;
  const choose = (chosen: string): void => {
    const option = options.find((candidate) => candidate.value === chosen);
    if (option !== undefined) onChange(option.value);
  };
  const control = (ids: object) => (
    <div className="relative">
      <select
        {...rest}
        {...ids}
        value={value}
        onChange={(event) => choose(event.target.value)}
        className={classes(INPUT_CLASSES, 'h-9 appearance-none pr-9', className)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden className="pointer-events-none absolute top-2.5 right-3 size-4 text-ink-faint" />
    </div>
  );
  if (isLabelHidden) return control({ 'aria-label': label });
  return (
    <FieldFrame label={label} hint={hint} problem={problem}>
      {control}
    </FieldFrame>
  );
}
