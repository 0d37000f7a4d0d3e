import type { AttemptEntry, TimelineDelivery } from '../../../../src/contract/panel/orders/timeline.ts';
import { CodeBlock } from '../../ui/content/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { KeyValue } from '../../ui/content/key-value.tsx';
import { ZonedTime } from '../../ui/time/times.tsx';
import { TimingBar } from './timing-bar.tsx';
import { timelineTexts } from '../../texts/orders/order-page.ts';
import { timingTexts } from '../../texts/webhooks/timing.ts';
import { toCurl } from './curl.ts';
import { ResendButton } from './resend-button.tsx';

export interface AttemptDetailsProps {
  attempt: AttemptEntry;
  delivery: TimelineDelivery;
  orderId: string;
  /** Initially open. */
  isOpen?: boolean;
}

/** The exact request and response of one attempt; collapsed by default. */
export function AttemptDetails({ attempt, delivery, orderId, isOpen = false }: AttemptDetailsProps) {
  const { url, headers } = attempt;
  const { body } = delivery;
  return (
    <details open={isOpen} className="group/attempt rounded-md border">
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-sm text-ink-soft">
        <span>{timelineTexts.endpoints[delivery.endpoint]}</span>
        <span>{timelineTexts.attempt(attempt.number)}</span>
        {attempt.totalMs !== null && <span className="tabular">{timingTexts.milliseconds(attempt.totalMs)}</span>}
        <span className="ml-auto text-accent group-open/attempt:hidden">{timelineTexts.details}</span>
      </summary>
      <div className="flex flex-col gap-4 border-t p-3">
        <Connection attempt={attempt} />
        <TimingBar timings={attempt} />
        <CodeBlock label={timelineTexts.headers} text={toLines(headers)} />
        <p className="text-sm text-ink-soft">{timelineTexts.signature[attempt.signature]}</p>
        <CodeBlock label={timelineTexts.body} text={body} />
        {attempt.answer === null || attempt.answer === '' ? (
          <p className="text-sm text-ink-soft">{timelineTexts.noAnswer}</p>
        ) : (
          <CodeBlock label={timelineTexts.answer} text={attempt.answer} />
        )}
        <div className="flex flex-wrap gap-2">
          {url !== null && <CopyButton text={toCurl({ url, headers, body })} label={timelineTexts.copyCurl} />}
          <ResendButton delivery={delivery} orderId={orderId} />
        </div>
      </div>
    </details>
  );
}

function toLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function Connection({ attempt }: { attempt: AttemptEntry }) {
  const { remoteAddress, isReusedConnection, isResentAtOnce, nextAttemptAt } = attempt;
  const ways = [isReusedConnection && timelineTexts.reused, isResentAtOnce && timelineTexts.repeated].filter(
    (way) => way !== false,
  );
  return (
    <KeyValue
      entries={[
        { name: timelineTexts.url, value: <span className="break-all">{attempt.url}</span> },
        {
          name: timelineTexts.address,
          value: remoteAddress !== null && [remoteAddress, ...ways].join(', '),
        },
        { name: timelineTexts.retryAfter, value: attempt.retryAfter },
        { name: timelineTexts.next, value: nextAttemptAt !== null && <ZonedTime at={nextAttemptAt} /> },
      ]}
    />
  );
}
