import { useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { ReceiverCheckCase } from '../../../../src/contract/panel/webhooks/receiver-check.ts';
import { ENDPOINT_KINDS, type EndpointKind } from '../../../../src/domain/webhooks/events.ts';
import { CHECK_CASES, type CheckCase } from '../../../../src/domain/webhooks/receiver-check.ts';
import { toApiError } from '../../api/api-error.ts';
import { useReceiverCheck, type CheckProgress } from '../../api/webhooks/receiver-check.ts';
import { useSession } from '../../api/people/session.ts';
import { webhookHealthQuery } from '../../api/webhooks/webhooks.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckRow } from '../../parts/webhooks/check-row.tsx';
import { CodeBlock } from '../../ui/content/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Card } from '../../ui/content/page.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { receiverTexts, webhookTexts } from '../../texts/webhooks/webhooks.ts';
import { toCurl } from '../../parts/webhooks/curl.ts';

const ENDPOINTS = ENDPOINT_KINDS.map((value) => ({ value, label: webhookTexts.endpoints[value] }));

export function ReceiverTab() {
  const { role } = useSession();
  const health = useQuery(webhookHealthQuery);
  const [endpoint, setEndpoint] = useState<EndpointKind>('status');
  const { progress, check } = useReceiverCheck();
  const url = health.data?.endpoints.find((candidate) => candidate.endpoint === endpoint)?.url;
  const reasonNot = (): string | null => {
    if (role !== 'owner') return webhookTexts.ownersOnly;
    return url === null ? receiverTexts.noUrl : null;
  };
  return (
    <div className="flex flex-col gap-4">
      <Card title={receiverTexts.title} description={receiverTexts.description}>
        <div className="flex flex-wrap items-end gap-3">
          <div className="w-56">
            <Select label={receiverTexts.endpoint} options={ENDPOINTS} value={endpoint} onChange={setEndpoint} />
          </div>
          <Button
            look="primary"
            icon={<Play aria-hidden className="size-4" />}
            isBusy={check.isPending}
            disabledReason={reasonNot()}
            onClick={() => check.mutate(endpoint)}
          >
            {progress === null ? receiverTexts.start : receiverTexts.again}
          </Button>
          <p className="min-w-0 py-2 text-sm break-all text-ink-faint">
            {url ?? (url === null ? receiverTexts.noUrl : '')}
          </p>
        </div>
      </Card>
      {check.isError && <Banner tone="danger">{toApiError(check.error).message}</Banner>}
      {progress === null ? <Outlook /> : <Results progress={progress} isRunning={check.isPending} />}
    </div>
  );
}

/** Explains what the check does before the user starts it. */
function Outlook() {
  return (
    <Card isFlush title={receiverTexts.outlook}>
      <ul className="grid border-t sm:grid-cols-2 lg:grid-cols-3">
        {CHECK_CASES.map((name) => (
          <li key={name} className="flex flex-col gap-0.5 px-5 py-3">
            <p className="font-medium">{receiverTexts.cases[name].name}</p>
            <p className="text-sm text-ink-soft">{receiverTexts.cases[name].expects}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Results({ progress, isRunning }: { progress: CheckProgress; isRunning: boolean }) {
  const { cases, results, url } = progress;
  const passed = results.filter(({ verdict }) => verdict === 'pass').length;
  return (
    <Card
      isFlush
      title={isRunning ? receiverTexts.running : receiverTexts.summary(passed, cases.length)}
      description={
        <span className="break-all">
          {receiverTexts.url} {url}
        </span>
      }
    >
      <ul aria-live="polite" className="flex flex-col border-t">
        {cases.map((name, index) => (
          <CaseRow
            key={name}
            name={name}
            result={results[index]}
            isNow={isRunning && index === results.length}
            url={url}
          />
        ))}
      </ul>
    </Card>
  );
}

interface CaseRowProps {
  name: CheckCase;
  result: ReceiverCheckCase | undefined;
  isNow: boolean;
  url: string;
}

function CaseRow({ name, result, isNow, url }: CaseRowProps) {
  const { name: title, expects } = receiverTexts.cases[name];
  const waiting = isNow ? receiverTexts.trying : receiverTexts.waiting;
  return (
    <CheckRow
      mark={result?.verdict ?? (isNow ? 'running' : 'skipped')}
      title={title}
      verdict={result === undefined ? waiting : receiverTexts.verdicts[result.verdict]}
      className="border-b px-5 py-4 last:border-b-0"
    >
      <p className="text-sm text-ink-soft">{expects}</p>
      {result !== undefined && <CaseResult result={result} url={url} />}
    </CheckRow>
  );
}

function CaseResult({ result, url }: { result: ReceiverCheckCase; url: string }) {
  const { name, verdict, finding, status, slowestMs, errorText, answer, sent } = result;
  const isToBeIgnored = verdict === 'pass' && (name === 'duplicate' || name === 'older');
  const facts = [
    status === null ? errorText : receiverTexts.status(status),
    slowestMs === null ? null : receiverTexts.took(slowestMs),
  ].filter((fact) => fact !== null);
  return (
    <>
      <p>
        {receiverTexts.findings[finding]} {isToBeIgnored && receiverTexts.dedupeNote}
      </p>
      <p className="text-sm text-ink-faint tabular">{facts.join(' · ')}</p>
      {sent !== null && (
        <details>
          <summary className="text-sm text-accent">{receiverTexts.request}</summary>
          <div className="flex flex-col gap-3 pt-3">
            <CodeBlock
              label={receiverTexts.headers}
              text={Object.entries(sent.headers)
                .map(([header, value]) => `${header}: ${value}`)
                .join('\n')}
            />
            <CodeBlock label={receiverTexts.body} text={sent.body} />
            {answer !== null && answer !== '' && <CodeBlock label={receiverTexts.answer} text={answer} />}
            <div>
              <CopyButton text={toCurl({ url, ...sent })} label={receiverTexts.copyCurl} />
            </div>
          </div>
        </details>
      )}
    </>
  );
}
