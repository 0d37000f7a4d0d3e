import { useQuery } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import type { SignatureAnswer, SignatureRequest } from '../../../../src/contract/panel/webhooks/webhooks.ts';
import { toApiError } from '../../api/api-error.ts';
import { useSession } from '../../api/people/session.ts';
import { useSignatureCheck, webhookHealthQuery } from '../../api/webhooks/webhooks.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Field, TextArea } from '../../ui/forms/field.tsx';
import { Card } from '../../ui/content/page.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { signatureTexts, webhookTexts } from '../../texts/webhooks/webhooks.ts';
import { toCurl } from '../../parts/webhooks/curl.ts';

const WAYS = [
  { value: 'own', label: signatureTexts.own },
  { value: 'typed', label: signatureTexts.typed },
] as const;
type Way = (typeof WAYS)[number]['value'];

export function SignatureTab() {
  const { role } = useSession();
  const health = useQuery(webhookHealthQuery);
  const compare = useSignatureCheck();
  const [body, setBody] = useState('');
  const [signature, setSignature] = useState('');
  const [way, setWay] = useState<Way>('own');
  const [secret, setSecret] = useState('');
  const reasonNot = (): string | null => {
    if (role !== 'owner') return webhookTexts.ownersOnly;
    return way === 'own' && health.data?.hasSecret === false ? signatureTexts.noSecret : null;
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (reasonNot() === null) compare.mutate({ body, signature, ...(way === 'typed' && { secret }) });
  };
  const problem = compare.isError ? toApiError(compare.error) : null;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title={signatureTexts.title} description={signatureTexts.description}>
        <form onSubmit={submit} className="flex flex-col gap-4">
          <TextArea
            label={signatureTexts.body}
            hint={signatureTexts.bodyHint}
            rows={8}
            spellCheck={false}
            className="font-mono text-sm"
            value={body}
            problem={problem?.problemOf('body')}
            onChange={(event) => setBody(event.target.value)}
          />
          <Field
            label={signatureTexts.header}
            hint={signatureTexts.headerHint}
            spellCheck={false}
            autoComplete="off"
            className="font-mono text-sm"
            value={signature}
            problem={problem?.problemOf('signature')}
            onChange={(event) => setSignature(event.target.value)}
          />
          <Select label={signatureTexts.which} options={WAYS} value={way} onChange={setWay} />
          {way === 'typed' && (
            <Field
              label={signatureTexts.secret}
              hint={signatureTexts.secretHint}
              type="password"
              autoComplete="off"
              required
              value={secret}
              problem={problem?.problemOf('secret')}
              onChange={(event) => setSecret(event.target.value)}
            />
          )}
          {problem !== null && <Banner tone="danger">{problem.message}</Banner>}
          <div>
            <Button type="submit" look="primary" isBusy={compare.isPending} disabledReason={reasonNot()}>
              {signatureTexts.check}
            </Button>
          </div>
        </form>
      </Card>
      {compare.isSuccess && (
        <Diagnosis
          answer={compare.data}
          asked={compare.variables}
          url={health.data?.endpoints.find(({ endpoint }) => endpoint === 'status')?.url ?? null}
        />
      )}
    </div>
  );
}

interface DiagnosisProps {
  answer: SignatureAnswer;
  asked: SignatureRequest;
  url: string | null;
}

function Diagnosis({ answer: { expected, isMatch, differsAt, causes }, asked, url }: DiagnosisProps) {
  const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': expected };
  return (
    <Card title={isMatch ? signatureTexts.match : signatureTexts.mismatch}>
      <div aria-live="polite" className="flex flex-col gap-4">
        {isMatch && <Banner tone="good">{signatureTexts.matchText}</Banner>}
        <dl className="flex flex-col gap-3">
          <Value name={signatureTexts.expected} text={expected} differsAt={differsAt} />
          <Value name={signatureTexts.received} text={asked.signature} differsAt={differsAt} />
        </dl>
        {differsAt !== null && <p className="text-sm text-ink-soft">{signatureTexts.differs(differsAt + 1)}</p>}
        {causes.length > 0 && (
          <section className="flex flex-col gap-2">
            <h3 className="font-medium">{signatureTexts.causes}</h3>
            <ul className="flex list-disc flex-col gap-1.5 pl-5">
              {causes.map((cause) => (
                <li key={cause}>{signatureTexts.causeTexts[cause]}</li>
              ))}
            </ul>
          </section>
        )}
        {url !== null && (
          <div>
            <CopyButton text={toCurl({ url, headers, body: asked.body })} label={signatureTexts.curl} />
          </div>
        )}
      </div>
    </Card>
  );
}

/** Highlights a value from its first difference to the other. */
function Value({ name, text, differsAt }: { name: string; text: string; differsAt: number | null }) {
  const parted = differsAt ?? text.length;
  return (
    <div className="flex flex-col gap-1">
      <dt className="label">{name}</dt>
      <dd className="font-mono text-sm break-all">
        {text === '' && <span className="text-ink-faint">{signatureTexts.nothing}</span>}
        {text.slice(0, parted)}
        {parted < text.length && (
          <mark className="rounded-sm bg-transparent font-semibold text-danger underline">{text.slice(parted)}</mark>
        )}
      </dd>
    </div>
  );
}
