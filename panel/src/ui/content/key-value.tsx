import type { ReactNode } from 'react';

export interface KeyValueEntry {
  name: string;
  value: ReactNode;
}

/** Facts in two columns; missing ones are omitted. */
export function KeyValue({ entries }: { entries: readonly KeyValueEntry[] }) {
  const given = entries.filter(({ value }) => value !== null && value !== undefined && value !== false && value !== '');
  return (
    <dl className="grid grid-cols-[minmax(6.5rem,auto)_1fr] gap-x-6 gap-y-2.5">
      {given.map(({ name, value }) => (
        <div key={name} className="contents">
          <dt className="text-ink-faint">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
