import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft, Pencil } from 'lucide-react';
import { useState } from 'react';
import type { CourierDetail } from '../../../../../src/contract/panel/operator/couriers.ts';
import { formatCount } from '../../../../../src/domain/counts.ts';
import { toApiError } from '../../../api/api-error.ts';
import { courierPhotoUrl, courierQuery, useCourierDuty } from '../../../api/operator/couriers.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { KeyValue } from '../../../ui/content/key-value.tsx';
import { Card, Page } from '../../../ui/content/page.tsx';
import { SkeletonRows } from '../../../ui/content/skeleton.tsx';
import { RelativeTime } from '../../../ui/time/times.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { paths } from '../../../paths.ts';
import { couriersTexts, vehicleTexts } from '../../../texts/operator/couriers.ts';
import { showDegrees } from '../../../ui/forms/coordinates.ts';
import { CourierDialog } from './courier-dialog.tsx';
import { DutyBadge } from './duty-badge.tsx';
import { ShiftsCard } from './shifts-card.tsx';

export function CourierProfilePage() {
  const { courierId } = useParams({ from: '/app/operator/couriers/$courierId' });
  const query = useQuery(courierQuery(courierId));
  const { data: courier } = query;
  const [isOpen, setIsOpen] = useState<'profile' | 'duty' | null>(null);
  const close = (): void => setIsOpen(null);
  return (
    <Page
      title={courier?.name ?? couriersTexts.title}
      mark={courier !== undefined && <DutyBadge courier={courier} />}
      crumb={
        <Link {...paths.couriers()} className="inline-flex items-center gap-1 hover:text-ink">
          <ChevronLeft aria-hidden className="size-4" />
          {couriersTexts.title}
        </Link>
      }
      actions={
        courier !== undefined && (
          <>
            <Button icon={<Pencil aria-hidden className="size-4" />} onClick={() => setIsOpen('profile')}>
              {couriersTexts.edit}
            </Button>
            <Button look={courier.onDuty ? 'secondary' : 'primary'} onClick={() => setIsOpen('duty')}>
              {courier.onDuty ? couriersTexts.goOff : couriersTexts.goOn}
            </Button>
          </>
        )
      }
    >
      {query.isPending && (
        <Card isFlush>
          <SkeletonRows />
        </Card>
      )}
      {query.isError && courier === undefined && (
        <Card>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Card>
      )}
      {courier !== undefined && (
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Card title={couriersTexts.profile}>
            {courier.photoAt !== null && (
              <img
                src={courierPhotoUrl(courier.id, courier.photoAt)}
                alt={couriersTexts.photoOf(courier.name)}
                className="mb-4 size-24 rounded-full object-cover"
              />
            )}
            <Profile courier={courier} />
          </Card>
          <ShiftsCard courier={courier} />
        </div>
      )}
      {courier !== undefined && isOpen === 'profile' && <CourierDialog courier={courier} onClose={close} />}
      {courier !== undefined && isOpen === 'duty' && <DutyDialog courier={courier} onClose={close} />}
    </Page>
  );
}

function Profile({ courier }: { courier: CourierDetail }) {
  const { position, location } = courier;
  const place = (at: { latitude: number; longitude: number }) =>
    `${showDegrees(at.latitude)}, ${showDegrees(at.longitude)}`;
  return (
    <KeyValue
      entries={[
        { name: couriersTexts.phone, value: courier.phone },
        { name: couriersTexts.belongs, value: courier.restaurant?.name ?? couriersTexts.pool },
        { name: couriersTexts.vehicle, value: vehicleTexts[courier.vehicle] },
        { name: couriersTexts.capacity, value: couriersTexts.bags(courier.capacity) },
        { name: couriersTexts.pay, value: courier.payPerOrder?.toString() },
        { name: couriersTexts.carrying, value: formatCount(courier.openOrders) },
        { name: couriersTexts.usualPlace, value: location && place(location) },
        {
          name: couriersTexts.position,
          value:
            position === null ? (
              <span className="text-ink-faint">{couriersTexts.noPosition}</span>
            ) : (
              <>
                <span className="tabular">{place(position)}</span>{' '}
                <span className="text-ink-faint">
                  <RelativeTime at={position.reportedAt} />
                </span>
              </>
            ),
        },
      ]}
    />
  );
}

function DutyDialog({ courier, onClose }: { courier: CourierDetail; onClose: () => void }) {
  const duty = useCourierDuty(courier.id);
  const { name, onDuty } = courier;
  const confirm = (): void =>
    duty.mutate(!onDuty, {
      onSuccess: () => {
        showToast(couriersTexts.dutyChanged);
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={onDuty ? couriersTexts.goOffTitle(name) : couriersTexts.goOnTitle(name)}
      consequence={onDuty ? couriersTexts.goOffText : couriersTexts.goOnText}
      confirmLabel={onDuty ? couriersTexts.goOff : couriersTexts.goOn}
      isOpen
      isBusy={duty.isPending}
      problem={duty.isError ? toApiError(duty.error).message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
