import { Copy } from 'lucide-react';
import { useState } from 'react';
import type { RestaurantAnswer } from '../../../../../src/contract/panel/restaurants/restaurant.ts';
import type { OpeningSpan } from '../../../../../src/domain/restaurants/opening-hours.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { hoursTexts } from '../../../texts/restaurants/restaurant.ts';
import { HoursExceptions } from './hours-exceptions.tsx';
import { copyDay, fromDraft, isSound, replaceDay, toDraft, type HoursDraft } from './hours-draft.ts';
import { SettingsForm } from './settings-form.tsx';
import { useOwnersOnly } from '../settings-frame.tsx';
import { AddSpanButton, SpansEditor } from './spans-editor.tsx';

export function HoursCard({ restaurant }: { restaurant: RestaurantAnswer }) {
  const [edited, setEdited] = useState<HoursDraft | null>(null);
  const ownersOnly = useOwnersOnly();
  const draft = edited ?? toDraft(restaurant.openingHours);
  const isChanged = JSON.stringify(fromDraft(draft)) !== JSON.stringify(fromDraft(toDraft(restaurant.openingHours)));
  return (
    <SettingsForm
      title={hoursTexts.title}
      description={hoursTexts.text}
      isChanged={isChanged}
      problem={isSound(draft) ? undefined : hoursTexts.fixFirst}
      request={() => ({ openingHours: fromDraft(draft) })}
      onReset={() => setEdited(null)}
    >
      <Switch
        label={hoursTexts.always}
        hint={hoursTexts.alwaysHint}
        isOn={draft.isAlways}
        disabledReason={ownersOnly}
        onChange={(isAlways) => setEdited({ ...draft, isAlways })}
      />
      {!draft.isAlways && (
        <>
          <ul className="flex flex-col divide-y border-y">
            {hoursTexts.days.map((day, index) => (
              <DayRow
                key={day}
                name={day}
                spans={draft.weekly[index] ?? []}
                ownersOnly={ownersOnly}
                onChange={(spans) => setEdited(replaceDay(draft, index, spans))}
                onCopy={(to) => setEdited(copyDay(draft, index, to))}
              />
            ))}
          </ul>
          <HoursExceptions
            exceptions={draft.exceptions}
            ownersOnly={ownersOnly}
            onChange={(exceptions) => setEdited({ ...draft, exceptions })}
          />
        </>
      )}
    </SettingsForm>
  );
}

interface DayRowProps {
  name: string;
  spans: readonly OpeningSpan[];
  ownersOnly: string | null;
  onChange: (spans: readonly OpeningSpan[]) => void;
  onCopy: (to: 'all' | 'weekdays' | 'weekend') => void;
}

function DayRow({ name, spans, ownersOnly, onChange, onCopy }: DayRowProps) {
  return (
    <li className="grid grid-cols-[1fr_auto] items-start gap-x-4 gap-y-2 py-3 sm:grid-cols-[9rem_1fr_auto]">
      <span className="pt-1.5 font-medium">{name}</span>
      <div className="col-span-2 row-start-2 sm:col-span-1 sm:col-start-2 sm:row-start-1">
        <SpansEditor name={name} spans={spans} ownersOnly={ownersOnly} onChange={onChange} />
      </div>
      <div className="flex">
        <AddSpanButton name={name} spans={spans} ownersOnly={ownersOnly} onChange={onChange} />
        <Menu
          label={hoursTexts.copyOf(name)}
          trigger={
            <Button
              look="quiet"
              size="icon"
              aria-label={hoursTexts.copyOf(name)}
              title={hoursTexts.copyOf(name)}
              icon={<Copy aria-hidden className="size-4" />}
              disabledReason={ownersOnly}
            />
          }
        >
          <MenuItem onSelect={() => onCopy('all')}>{hoursTexts.copyToAll}</MenuItem>
          <MenuItem onSelect={() => onCopy('weekdays')}>{hoursTexts.copyToWeekdays}</MenuItem>
          <MenuItem onSelect={() => onCopy('weekend')}>{hoursTexts.copyToWeekend}</MenuItem>
        </Menu>
      </div>
    </li>
  );
}
