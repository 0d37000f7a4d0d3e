// A restaurant's alarms: all of them above the board, those of one order on its page.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { alarmsQuery, useDismissProblem } from '../../api/planning/planning.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { showToast } from '../../ui/toast.tsx';
import { paths } from '../../paths.ts';
import { alarmTexts } from '../../texts/planning/planning.ts';
import { AlarmBanner } from './alarm-banner.tsx';

/** More banners would hide the board that is needed to resolve them. */
const MAX_BANNERS = 3;

export function BoardAlarms() {
  const alarms = useQuery(alarmsQuery).data?.alarms ?? [];
  const more = alarms.length - MAX_BANNERS;
  return (
    <>
      {alarms.slice(0, MAX_BANNERS).map((alarm) => (
        <AlarmBanner
          key={`${alarm.orderId} ${alarm.kind}`}
          alarm={alarm}
          reader="restaurant"
          actions={
            <>
              {alarm.kind === 'PROBLEM_REPORTED' && <DismissButton orderId={alarm.orderId} />}
              <Link {...paths.order(alarm.orderId)} className={buttonClasses('secondary', 'small')}>
                {alarmTexts.open}
              </Link>
            </>
          }
        />
      ))}
      {more > 0 && <Banner tone="warn">{alarmTexts.more(more)}</Banner>}
    </>
  );
}

export function OrderAlarms({ orderId }: { orderId: string }) {
  const alarms = useQuery(alarmsQuery).data?.alarms ?? [];
  return alarms
    .filter((alarm) => alarm.orderId === orderId)
    .map((alarm) => (
      <AlarmBanner
        key={alarm.kind}
        alarm={alarm}
        reader="restaurant"
        actions={alarm.kind === 'PROBLEM_REPORTED' && <DismissButton orderId={orderId} />}
      />
    ));
}

function DismissButton({ orderId }: { orderId: string }) {
  const dismiss = useDismissProblem(orderId);
  return (
    <Button
      size="small"
      isBusy={dismiss.isPending}
      onClick={() =>
        dismiss.mutate(undefined, {
          onSuccess: () => showToast(alarmTexts.dismissed),
          onError: (error) => showToast(error.message, 'danger'),
        })
      }
    >
      {alarmTexts.dismiss}
    </Button>
  );
}
