import type { ComponentProps, ReactNode } from 'react';
import { useId } from 'react';
import { classes } from '../class-names.ts';

export const INPUT_CLASSES = classes(
  'w-full min-w-0 rounded-md border border-line-strong/60 bg-surface px-3 text-base text-ink shadow-card',
  'transition-colors hover:border-line-strong',
  'aria-invalid:border-danger',
);

interface FieldFrameProps {
  label: string;
  hint?: ReactNode;
  problem?: string | undefined;
  className?: string | undefined;
  children: (ids: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': true | undefined;
  }) => ReactNode;
}

/** A label, a control, a hint and an error message, linked for assistive technology. */
export function FieldFrame({ label, hint, problem, className, children }: FieldFrameProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const problemId = `${id}-problem`;
  const describedBy = classes(hint !== undefined && hintId, problem !== undefined && problemId);
  return (
    <div className={classes('flex min-w-0 flex-col gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
        'aria-invalid': problem === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p id={hintId} className="text-sm text-ink-faint">
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p id={problemId} className="text-sm font-medium text-danger">
          {problem}
        </p>
      )}
    </div>
  );
}

export interface FieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  label: string;
  hint?: ReactNode;
  problem?: string | undefined;
  frameClassName?: string;
}

export function Field({ label, hint, problem, frameClassName, className, ...input }: FieldProps) {
  return (
    <FieldFrame label={label} hint={hint} problem={problem} className={frameClassName}>
      {(ids) => <input {...input} {...ids} className={classes(INPUT_CLASSES, 'h-9', className)} />}
    </FieldFrame>
  );
}

export interface TextAreaProps extends Omit<ComponentProps<'textarea'>, 'id'> {
  label: string;
  hint?: ReactNode;
  problem?: string | undefined;
}

export function TextArea({ label, hint, problem, className, ...area }: TextAreaProps) {
  return (
    <FieldFrame label={label} hint={hint} problem={problem}>
      {(ids) => <textarea rows={4} {...area} {...ids} className={classes(INPUT_CLASSES, 'py-2', className)} />}
    </FieldFrame>
  );
}
