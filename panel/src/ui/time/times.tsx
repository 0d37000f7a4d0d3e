// Shows times, given as RFC 3339 strings from the service.
import { useRestaurantZone } from './zone.ts';
import { useNow } from './now.ts';
import { formatDuration, formatRelative, formatZoned, zoneName, type TimeDetail } from './time-words.ts';
import { Tooltip } from '../tooltip.tsx';

/** "4 min ago"; hover and focus show the exact time with its zone. */
export function RelativeTime({ at }: { at: string }) {
  const timeZone = useRestaurantZone();
  const now = useNow();
  const instant = Date.parse(at);
  return (
    <Tooltip text={`${formatZoned(instant, timeZone)} ${zoneName(instant, timeZone)}`}>
      <time dateTime={at} tabIndex={0} className="tabular">
        {formatRelative(instant, now)}
      </time>
    </Tooltip>
  );
}

/** The restaurant's local time, wherever the user is; the zone is shown beside every time of day. */
export function ZonedTime({ at, detail = 'full' }: { at: string; detail?: TimeDetail }) {
  const timeZone = useRestaurantZone();
  const instant = Date.parse(at);
  return (
    <time dateTime={at} title={timeZone} className="tabular sm:whitespace-nowrap">
      {formatZoned(instant, timeZone, detail)}
      {detail !== 'date' && <span className="text-ink-faint"> {zoneName(instant, timeZone)}</span>}
    </time>
  );
}

/** A bare age, without words around it. */
export function Age({ since }: { since: string }) {
  const now = useNow();
  return <span className="tabular">{formatDuration(now - Date.parse(since))}</span>;
}
