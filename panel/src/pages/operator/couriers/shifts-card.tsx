import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { CourierDetail } from '../../../../../src/contract/panel/operator/couriers.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useAddShift, useRemoveShift } from '../../../api/operator/couriers.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { formatZoned } from '../../../ui/time/time-words.ts';
import { ZonedTime } from '../../../ui/time/times.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { couriersTexts } from '../../../texts/operator/couriers.ts';
import { toQueryTime } from '../../../parts/zoned-input.ts';

const ZONE = 'UTC';

export function ShiftsCard({ courier }: { courier: CourierDetail }) {
  const remove = useRemoveShift(courier.id);
  return (
    <Card title={couriersTexts.shifts} description={couriersTexts.shiftsText}>
      <div className="flex flex-col gap-5">
        {courier.shifts.length === 0 && <p className="text-ink-soft">{couriersTexts.noShifts}</p>}
        <ul className="flex flex-col gap-2">
          {courier.shifts.map(({ id, startsAt, endsAt }) => (
            <li key={id} className="flex items-center justify-between gap-3">
              <span className="tabular">
                <ZonedTime at={startsAt} /> – <ZonedTime at={endsAt} />
              </span>
              <Button
                look="quiet"
                size="icon"
                aria-label={couriersTexts.removeShiftOf(formatZoned(Date.parse(startsAt), ZONE))}
                icon={<Trash2 aria-hidden className="size-4" />}
                onClick={() =>
                  remove.mutate(id, {
                    onSuccess: () => showToast(couriersTexts.shiftRemoved),
                    onError: (error) => showToast(error.message, 'danger'),
                  })
                }
              />
            </li>
          ))}
        </ul>
        <NewShift courierId={courier.id} />
      </div>
    </Card>
  );
}

function NewShift({ courierId }: { courierId: string }) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const add = useAddShift(courierId);
  const startsAt = toQueryTime(from, ZONE);
  const endsAt = toQueryTime(to, ZONE);
  const submit = (): void => {
    if (startsAt === undefined || endsAt === undefined) return;
    add.mutate(
      { startsAt, endsAt },
      {
        onSuccess: () => {
          showToast(couriersTexts.shiftAdded);
          setFrom('');
          setTo('');
        },
      },
    );
  };
  return (
    <form
      className="flex flex-col items-start gap-3 border-t pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="grid w-full gap-3 sm:grid-cols-2">
        <Field
          label={couriersTexts.from}
          type="datetime-local"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <Field
          label={couriersTexts.to}
          type="datetime-local"
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
      </div>
      {add.isError && <Banner tone="danger">{toApiError(add.error).message}</Banner>}
      <Button
        type="submit"
        isBusy={add.isPending}
        disabledReason={startsAt === undefined || endsAt === undefined ? couriersTexts.shiftIncomplete : null}
      >
        {couriersTexts.addShift}
      </Button>
    </form>
  );
}
