// The current destination, with navigation and phone links.
import { Navigation, Phone } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { classes } from '../../../ui/class-names.ts';
import { Lines } from '../../../ui/content/lines.tsx';
import { useNow } from '../../../ui/time/now.ts';
import { formatZoned } from '../../../ui/time/time-words.ts';
import { useRestaurantZone } from '../../../ui/time/zone.ts';
import { describeAddress, navigationLink, phoneLink } from './directions.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { bigButtonClasses } from '../controls/big-button.tsx';
import { nameOfStop } from './name.ts';

export interface StopHeaderProps {
  stop: CourierStop;
  place: number;
  count: number;
  clockOffsetMs: number;
}

export function StopHeader({ stop, place, count, clockOffsetMs }: StopHeaderProps) {
  const { street } = describeAddress(stop.place.address);
  const phone =
    stop.kind === 'pickup'
      ? phoneLink(stop.place.phone)
      : phoneLink(stop.customer?.phone ?? stop.place.phone, stop.customer?.phoneAccessCode);
  return (
    <header className="flex flex-col gap-4">
      <div>
        <p className="flex flex-wrap justify-between gap-x-4 text-lg font-semibold">
          <span>{courierTexts.stopKinds[stop.kind]}</span>
          {count > 1 && <span className="text-ink-soft">{courierTexts.stopOf(place, count)}</span>}
        </p>
        <h1 className="mt-1 text-4xl leading-tight font-bold tracking-tight text-balance break-words">
          {nameOfStop(stop)}
        </h1>
        <p className="text-xl leading-snug">
          <Lines lines={street} />
        </p>
        {stop.plannedAt !== null && <PlannedTime at={stop.plannedAt} clockOffsetMs={clockOffsetMs} />}
      </div>
      <div className="grid grid-cols-2 gap-3">
        <LinkButton
          href={phone}
          label={courierTexts.call}
          icon={<Phone aria-hidden className="size-6" />}
          missing={courierTexts.noPhone}
        />
        <LinkButton
          href={navigationLink(stop.place, navigator.userAgent)}
          label={courierTexts.navigate}
          icon={<Navigation aria-hidden className="size-6" />}
          missing={courierTexts.noPlace}
        />
      </div>
    </header>
  );
}

const MINUTE_MS = 60_000;

function PlannedTime({ at, clockOffsetMs }: { at: string; clockOffsetMs: number }) {
  const timeZone = useRestaurantZone();
  const instant = Date.parse(at);
  const minutes = Math.round((instant - clockOffsetMs - useNow(10_000)) / MINUTE_MS);
  const isLate = minutes < 0;
  const distance = minutes === 0 ? courierTexts.dueNow : courierTexts.inTime(minutes);
  return (
    <p className="mt-2 text-lg font-medium tabular">
      {courierTexts.planned(formatZoned(instant, timeZone, 'time'))}
      {' · '}
      <span className={isLate ? 'font-bold text-danger' : ''}>{isLate ? courierTexts.late(-minutes) : distance}</span>
    </p>
  );
}

interface LinkButtonProps {
  href: string | undefined;
  label: string;
  icon: ReactNode;
  missing: string;
}

function LinkButton({ href, label, icon, missing }: LinkButtonProps) {
  if (href === undefined) {
    return (
      <p className={classes(bigButtonClasses(), 'border-dashed text-ink-soft')}>
        {icon}
        {missing}
      </p>
    );
  }
  return (
    <a
      href={href}
      {...(href.startsWith('http') && { target: '_blank', rel: 'noreferrer' })}
      className={bigButtonClasses()}
    >
      {icon}
      {label}
    </a>
  );
}
