import { Field } from './field.tsx';

export interface PeriodFieldsProps {
  labels: { from: string; until: string };
  /** In the format of datetime-local inputs; undefined for an open end. */
  period: { from?: string | undefined; until?: string | undefined };
  onChange: (changed: { from: string } | { until: string }) => void;
}

/** Start and end of a period, for a filter bar. */
export function PeriodFields({ labels, period, onChange }: PeriodFieldsProps) {
  const frame = 'max-sm:col-span-2 w-full sm:w-50';
  return (
    <>
      <Field
        label={labels.from}
        type="datetime-local"
        frameClassName={frame}
        value={period.from ?? ''}
        onChange={(event) => onChange({ from: event.target.value })}
      />
      <Field
        label={labels.until}
        type="datetime-local"
        frameClassName={frame}
        value={period.until ?? ''}
        onChange={(event) => onChange({ until: event.target.value })}
      />
    </>
  );
}
