// An alarm that needs attention now, with the action to take.
import type { ReactNode } from 'react';
import type { PlanAlarm } from '../../../../src/contract/panel/planning/planning.ts';
import type { Chooser } from '../../api/planning/planning.ts';
import { Banner } from '../../ui/banner.tsx';
import { alarmTexts } from '../../texts/planning/planning.ts';

export interface AlarmBannerProps {
  alarm: PlanAlarm;
  reader: Chooser;
  actions?: ReactNode;
}

export function AlarmBanner({ alarm, reader, actions }: AlarmBannerProps) {
  const { kind, orderNumber, courierName, detail } = alarm;
  return (
    <Banner
      tone={kind === 'COURIER_DARK' ? 'warn' : 'danger'}
      title={alarmTexts.title(alarmTexts.kinds[kind], orderNumber)}
      actions={actions}
    >
      <p>{courierName === null ? detail : alarmTexts.ofCourier(courierName, detail)}</p>
      <p>{alarmTexts.toDo[reader][kind]}</p>
    </Banner>
  );
}
