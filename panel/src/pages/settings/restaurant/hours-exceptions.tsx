import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { formatZoned } from '../../../ui/time/time-words.ts';
import { hoursTexts } from '../../../texts/restaurants/restaurant.ts';
import type { HoursDraft } from './hours-draft.ts';
import { AddSpanButton, SpansEditor } from './spans-editor.tsx';

type Exceptions = HoursDraft['exceptions'];

export interface HoursExceptionsProps {
  exceptions: Exceptions;
  ownersOnly: string | null;
  onChange: (exceptions: Exceptions) => void;
}

/** Dates with different hours. A new one is closed until hours are added. */
export function HoursExceptions({ exceptions, ownersOnly, onChange }: HoursExceptionsProps) {
  return (
    <section aria-label={hoursTexts.exceptions} className="flex flex-col gap-3">
      <div>
        <h3 className="text-sm font-semibold">{hoursTexts.exceptions}</h3>
        <p className="text-sm text-ink-soft">{hoursTexts.exceptionsText}</p>
      </div>
      {exceptions.length > 0 && (
        <ul className="flex flex-col divide-y border-y">
          {exceptions.map((exception) => (
            <ExceptionRow
              key={exception.date}
              exception={exception}
              ownersOnly={ownersOnly}
              onChange={(spans) =>
                onChange(exceptions.map((old) => (old.date === exception.date ? { ...old, spans } : old)))
              }
              onRemove={() => onChange(exceptions.filter((old) => old.date !== exception.date))}
            />
          ))}
        </ul>
      )}
      <NewException exceptions={exceptions} ownersOnly={ownersOnly} onChange={onChange} />
    </section>
  );
}

interface ExceptionRowProps {
  exception: Exceptions[number];
  ownersOnly: string | null;
  onChange: (spans: Exceptions[number]['spans']) => void;
  onRemove: () => void;
}

function ExceptionRow({ exception: { date, spans }, ownersOnly, onChange, onRemove }: ExceptionRowProps) {
  const name = formatZoned(Date.parse(date), 'UTC', 'weekday');
  const editing = { name, spans, ownersOnly, onChange };
  return (
    <li className="grid grid-cols-[1fr_auto] items-start gap-x-4 gap-y-2 py-3 sm:grid-cols-[9rem_1fr_auto]">
      <span className="pt-1.5 font-medium tabular">{name}</span>
      <div className="col-span-2 row-start-2 sm:col-span-1 sm:col-start-2 sm:row-start-1">
        <SpansEditor {...editing} />
      </div>
      <div className="flex">
        <AddSpanButton {...editing} />
        <Button
          look="quiet"
          size="icon"
          aria-label={hoursTexts.removeException(name)}
          title={hoursTexts.removeException(name)}
          disabledReason={ownersOnly}
          icon={<Trash2 aria-hidden className="size-4" />}
          onClick={onRemove}
        />
      </div>
    </li>
  );
}

function NewException({ exceptions, ownersOnly, onChange }: HoursExceptionsProps) {
  const [date, setDate] = useState('');
  const isTaken = exceptions.some((exception) => exception.date === date);
  const add = (): void => {
    onChange([...exceptions, { date, spans: [] }].toSorted((a, b) => a.date.localeCompare(b.date)));
    setDate('');
  };
  const missing = date === '' ? hoursTexts.chooseDate : null;
  return (
    <div className="flex items-start gap-2">
      <Field
        label={hoursTexts.date}
        type="date"
        readOnly={ownersOnly !== null}
        value={date}
        problem={isTaken ? hoursTexts.duplicate : undefined}
        onChange={(event) => setDate(event.target.value)}
      />
      <Button
        className="mt-6.5"
        icon={<Plus aria-hidden className="size-4" />}
        disabledReason={ownersOnly ?? missing ?? (isTaken ? hoursTexts.duplicate : null)}
        onClick={add}
      >
        {hoursTexts.addException}
      </Button>
    </div>
  );
}
