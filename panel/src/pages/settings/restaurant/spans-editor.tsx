// The opening hours of one day or date: any number of spans, in native time inputs.
import { Plus, X } from 'lucide-react';
import type { OpeningSpan } from '../../../../../src/domain/restaurants/opening-hours.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/class-names.ts';
import { INPUT_CLASSES } from '../../../ui/forms/field.tsx';
import { hoursTexts } from '../../../texts/restaurants/restaurant.ts';
import { addSpan, endsNextDay, findSpansProblem, MAX_SPANS } from './hours-draft.ts';

export interface SpansEditorProps {
  /** The day, for screen readers. */
  name: string;
  spans: readonly OpeningSpan[];
  ownersOnly: string | null;
  onChange: (spans: readonly OpeningSpan[]) => void;
}

export function SpansEditor({ name, spans, ownersOnly, onChange }: SpansEditorProps) {
  const problem = findSpansProblem(spans);
  const replace = (index: number, change: Partial<OpeningSpan>): void =>
    onChange(spans.map((span, position) => (position === index ? { ...span, ...change } : span)));
  return (
    <div className="flex flex-col gap-2">
      {spans.length === 0 && <p className="pt-1.5 text-ink-faint">{hoursTexts.closed}</p>}
      {spans.map((span, index) => (
        // Spans have no identity except their position.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <div className="flex w-full items-center gap-2 sm:w-auto">
            <TimeInput
              label={hoursTexts.from(name, index + 1)}
              value={span.from}
              isReadOnly={ownersOnly !== null}
              isWrong={problem !== undefined}
              onChange={(from) => replace(index, { from })}
            />
            <span className="text-ink-faint">{hoursTexts.until}</span>
            <TimeInput
              label={hoursTexts.to(name, index + 1)}
              value={span.to}
              isReadOnly={ownersOnly !== null}
              isWrong={problem !== undefined}
              onChange={(to) => replace(index, { to })}
            />
            <Button
              look="quiet"
              size="icon"
              aria-label={hoursTexts.removeTime(name, index + 1)}
              disabledReason={ownersOnly}
              icon={<X aria-hidden className="size-4" />}
              onClick={() => onChange(spans.filter((_, position) => position !== index))}
            />
          </div>
          {endsNextDay(span) && <span className="text-sm text-ink-faint">{hoursTexts.nextDay}</span>}
        </div>
      ))}
      {problem !== undefined && <p className="text-sm font-medium text-danger">{hoursTexts[problem]}</p>}
    </div>
  );
}

export function AddSpanButton({ name, spans, ownersOnly, onChange }: SpansEditorProps) {
  const full = spans.length < MAX_SPANS ? null : hoursTexts.full;
  return (
    <Button
      look="quiet"
      size="icon"
      aria-label={hoursTexts.addTimeTo(name)}
      title={hoursTexts.addTimeTo(name)}
      disabledReason={ownersOnly ?? full}
      icon={<Plus aria-hidden className="size-4" />}
      onClick={() => onChange(addSpan(spans))}
    />
  );
}

interface TimeInputProps {
  label: string;
  value: string;
  isReadOnly: boolean;
  isWrong: boolean;
  onChange: (value: string) => void;
}

function TimeInput({ label, value, isReadOnly, isWrong, onChange }: TimeInputProps) {
  return (
    <input
      type="time"
      aria-label={label}
      aria-invalid={isWrong || undefined}
      readOnly={isReadOnly}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={classes(INPUT_CLASSES, 'h-9 flex-1 px-2! tabular sm:w-auto! sm:flex-none sm:px-3!')}
    />
  );
}
