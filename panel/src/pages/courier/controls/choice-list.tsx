import { classes } from '../../../ui/class-names.ts';

export interface ChoiceListProps<T extends string> {
  label: string;
  options: readonly { value: T; label: string }[];
  value: T | undefined;
  onChange: (value: T) => void;
}

/** Full-width radio buttons, stacked. */
export function ChoiceList<T extends string>({ label, options, value, onChange }: ChoiceListProps<T>) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className={classes(
            'flex min-h-14 items-center gap-3 rounded-lg border-2 px-4 text-lg font-medium',
            'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
            option.value === value ? 'border-ink bg-hover' : 'border-line',
          )}
        >
          <input
            type="radio"
            name={label}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="size-5 accent-ink"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
