import { useState } from 'react';
import type { EndpointView } from '../../../../../src/contract/panel/restaurants/integration.ts';
import { parseEndpointUrl } from '../../../../../src/domain/webhooks/endpoint-url.ts';
import { ENDPOINT_KINDS, type EndpointKind } from '../../../../../src/domain/webhooks/events.ts';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { urlTexts } from '../../../texts/webhooks/integration.ts';
import { useOwnersOnly } from '../settings-frame.tsx';
import { UrlDialog, type Urls } from './url-dialog.tsx';

type Endpoints = Record<EndpointKind, EndpointView>;
export interface WebhookUrlsCardProps {
  endpoints: Endpoints;
  isEnabled: boolean;
}

export function WebhookUrlsCard({ endpoints, isEnabled }: WebhookUrlsCardProps) {
  const [typed, setTyped] = useState<Partial<Record<EndpointKind, string>>>({});
  const [asking, setAsking] = useState<{ urls: Urls; isSaving: boolean } | null>(null);
  const ownersOnly = useOwnersOnly();
  const valueOf = (kind: EndpointKind): string => typed[kind] ?? endpoints[kind].url ?? '';
  const problems = new Map(ENDPOINT_KINDS.map((kind) => [kind, findProblem(valueOf(kind))]));
  const isWrong = [...problems.values()].some((problem) => problem !== undefined);
  const changed = listChanges(endpoints, valueOf);
  const typedUrls = Object.fromEntries(ENDPOINT_KINDS.map((kind) => [kind, valueOf(kind).trim() || null]));
  const hasUrl = Object.values(typedUrls).some((url) => url !== null);
  const wrong = isWrong ? urlTexts.wrong : null;
  return (
    <Card title={urlTexts.title} description={urlTexts.description}>
      <form
        className="flex flex-col gap-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isWrong && ownersOnly === null) setAsking({ urls: changed, isSaving: true });
        }}
      >
        {ENDPOINT_KINDS.map((kind) => (
          <div key={kind} className="flex flex-col gap-1.5">
            <Field
              label={urlTexts.names[kind]}
              hint={urlTexts.hints[kind]}
              type="url"
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
              placeholder={urlTexts.placeholder}
              className="font-mono"
              readOnly={ownersOnly !== null}
              value={valueOf(kind)}
              problem={problems.get(kind)}
              onChange={(event) => setTyped({ ...typed, [kind]: event.target.value })}
            />
            <EndpointNotes endpoint={endpoints[kind]} isEnabled={isEnabled} />
          </div>
        ))}
        <div className="flex flex-wrap justify-end gap-2">
          <Button
            disabledReason={ownersOnly ?? wrong ?? (hasUrl ? null : urlTexts.nothingToCheck)}
            onClick={() => setAsking({ urls: typedUrls, isSaving: false })}
          >
            {urlTexts.check}
          </Button>
          <Button
            look="primary"
            type="submit"
            disabledReason={ownersOnly ?? wrong ?? (Object.keys(changed).length === 0 ? urlTexts.unchanged : null)}
          >
            {urlTexts.save}
          </Button>
        </div>
      </form>
      {asking !== null && (
        <UrlDialog
          {...asking}
          heldCount={isEnabled ? countHeld(endpoints, asking.urls) : 0}
          onSaved={() => setTyped({})}
          onClose={() => setAsking(null)}
        />
      )}
    </Card>
  );
}

function EndpointNotes({ endpoint, isEnabled }: { endpoint: EndpointView; isEnabled: boolean }) {
  const { heldCount, failingSince, lastError } = endpoint;
  const held = isEnabled ? urlTexts.held(heldCount) : urlTexts.heldOff(heldCount);
  return (
    <>
      {heldCount > 0 && <p className="text-sm font-medium text-warn">{held}</p>}
      {failingSince !== null && <p className="text-sm font-medium text-danger">{urlTexts.failing(lastError ?? '')}</p>}
    </>
  );
}

function findProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  const reading = parseEndpointUrl(text.trim());
  return reading.ok ? undefined : reading.message;
}

function listChanges(endpoints: Endpoints, valueOf: (kind: EndpointKind) => string): Urls {
  const urls: Urls = {};
  for (const kind of ENDPOINT_KINDS) {
    const url = valueOf(kind).trim() || null;
    if (url !== endpoints[kind].url) urls[kind] = url;
  }
  return urls;
}

/** Counts deliveries held for endpoints that are about to get their first URL. */
function countHeld(endpoints: Endpoints, urls: Urls): number {
  return ENDPOINT_KINDS.filter((kind) => typeof urls[kind] === 'string').reduce(
    (sum, kind) => sum + endpoints[kind].heldCount,
    0,
  );
}
