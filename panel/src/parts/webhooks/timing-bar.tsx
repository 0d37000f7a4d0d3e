import { timingTexts } from '../../texts/webhooks/timing.ts';
import { classes } from '../../ui/class-names.ts';
import { timingSegments, type AttemptTimings, type TimingPhase } from './timing-segments.ts';

const FILLS: Record<TimingPhase, string> = {
  dns: 'bg-state-validated',
  connect: 'bg-state-routed',
  tls: 'bg-state-assigned',
  wait: 'bg-state-new',
  answer: 'bg-state-delivered',
};

/** How long each phase of an attempt took: as a bar, and as accessible numbers. */
export function TimingBar({ timings }: { timings: AttemptTimings }) {
  const segments = timingSegments(timings);
  if (segments.length === 0 || timings.totalMs === null) return null;
  return (
    <div className="flex flex-col gap-2">
      <div aria-hidden className="flex h-2 overflow-hidden rounded-full bg-sunken">
        {segments.map(({ phase, share }) => (
          <span key={phase} className={FILLS[phase]} style={{ width: `${share * 100}%` }} />
        ))}
      </div>
      <dl aria-label={timingTexts.label} className="flex flex-wrap gap-x-5 gap-y-2">
        {segments.map(({ phase, ms }) => (
          <div key={phase} className="flex flex-col">
            <dt className="flex items-center gap-1.5 label">
              <span aria-hidden className={classes('size-2 rounded-full', FILLS[phase])} />
              {timingTexts.phases[phase]}
            </dt>
            <dd className="text-sm tabular">{timingTexts.milliseconds(ms)}</dd>
          </div>
        ))}
        <div className="flex flex-col">
          <dt className="label">{timingTexts.total}</dt>
          <dd className="text-sm font-medium tabular">{timingTexts.milliseconds(timings.totalMs)}</dd>
        </div>
      </dl>
    </div>
  );
}
