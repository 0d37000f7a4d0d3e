import { Switch as Radix } from 'radix-ui';
import { useId } from 'react';
import { classes } from '../class-names.ts';

export interface SwitchProps {
  label: string;
  hint?: string;
  isOn: boolean;
  /** Why it cannot be switched now. */
  disabledReason?: string | null;
  onChange: (isOn: boolean) => void;
}

export function Switch({ label, hint, isOn, disabledReason, onChange }: SwitchProps) {
  const id = useId();
  const note = disabledReason ?? hint;
  const isOff = disabledReason !== undefined && disabledReason !== null;
  return (
    <div className="flex items-start justify-between gap-6">
      <div className="flex flex-col gap-0.5">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {note !== undefined && (
          <p id={`${id}-note`} className="text-sm text-ink-soft">
            {note}
          </p>
        )}
      </div>
      <Radix.Root
        id={id}
        checked={isOn}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        aria-disabled={isOff || undefined}
        onCheckedChange={(next) => {
          if (!isOff) onChange(next);
        }}
        className={classes(
          'relative mt-0.5 h-5.5 w-9.5 shrink-0 rounded-full border border-line-strong bg-line-strong transition-colors duration-150',
          'data-[state=checked]:border-good data-[state=checked]:bg-good',
          isOff && 'cursor-not-allowed! opacity-50',
        )}
      >
        <Radix.Thumb className="block size-4 translate-x-0.5 rounded-full bg-surface shadow-card transition-transform duration-150 ease-quiet data-[state=checked]:translate-x-4.5" />
      </Radix.Root>
    </div>
  );
}
