import { Field } from './field.tsx';

export interface PeriodFieldsProps {
  labels: { from: string; until: string };
  /** As the browser writes local times; undefined where it is open. */
  period: { from?: string | undefined; until?: string | undefined };
  onChange: (changed: { from: string } | { until: string }) => void;
}

/** The two ends of a time, in a bar of filters. */
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
