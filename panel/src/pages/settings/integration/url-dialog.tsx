// The live check of URLs, before saving or on demand. A failed check warns but does not block: the receiver may not be
// up yet.
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { ENDPOINT_KINDS, type EndpointKind } from '../../../../../src/domain/webhooks/events.ts';
import { toApiError } from '../../../api/api-error.ts';
import { checkUrl, useSetUrls } from '../../../api/restaurants/integration.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Skeleton } from '../../../ui/content/skeleton.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { commonTexts } from '../../../texts/everywhere.ts';
import { urlTexts } from '../../../texts/webhooks/integration.ts';
import { CheckResult, isGoodCheck } from './check-result.tsx';

export type Urls = Partial<Record<EndpointKind, string | null>>;

export interface UrlDialogProps {
  urls: Urls;
  isSaving: boolean;
  /** Number of held deliveries that saving would send. */
  heldCount: number;
  onSaved: () => void;
  onClose: () => void;
}

export function UrlDialog({ urls, isSaving, heldCount, onSaved, onClose }: UrlDialogProps) {
  const checks = useChecks(urls);
  const save = useSetUrls();
  const isChecking = checks.some(({ check }) => check.isPending);
  const isGood = checks.every(({ check }) => check.data !== undefined && isGoodCheck(check.data));
  const removed = ENDPOINT_KINDS.filter((kind) => urls[kind] === null && isSaving);
  const submit = (): void =>
    save.mutate(
      { ...urls, sendsHeld: heldCount > 0 },
      {
        onSuccess: ({ released }) => {
          showToast(released === 0 ? urlTexts.saved : urlTexts.savedAndSent(released));
          onSaved();
          onClose();
        },
      },
    );
  return (
    <Dialog
      title={isSaving ? urlTexts.dialogTitle.save : urlTexts.dialogTitle.check}
      isWide
      isOpen
      onClose={onClose}
      actions={
        isSaving ? (
          <>
            <Button onClick={onClose}>{urlTexts.back}</Button>
            <Button
              look={isGood ? 'primary' : 'secondary'}
              isBusy={save.isPending}
              disabledReason={isChecking ? urlTexts.stillChecking : null}
              onClick={submit}
            >
              {saveLabel(isGood || isChecking, heldCount)}
            </Button>
          </>
        ) : (
          <Button onClick={onClose}>{commonTexts.close}</Button>
        )
      }
    >
      {checks.map(({ kind, url, check }) => (
        <section key={kind} aria-label={urlTexts.names[kind]} className="flex flex-col gap-3 rounded-md border p-4">
          <h3 className="flex flex-col gap-0.5">
            <span className="font-medium">{urlTexts.names[kind]}</span>
            <code className="font-mono text-sm break-all text-ink-faint">{check.data?.url ?? url}</code>
          </h3>
          {check.isPending && <Checking />}
          {check.data !== undefined && <CheckResult check={check.data} />}
          {check.isError && <Banner tone="danger">{toApiError(check.error).message}</Banner>}
        </section>
      ))}
      {removed.map((kind) => (
        <Banner key={kind} tone="warn">
          {urlTexts.removing(urlTexts.names[kind])}
        </Banner>
      ))}
      {isSaving && !isChecking && !isGood && (
        <Banner tone="warn" title={urlTexts.someBad}>
          {urlTexts.saveAnywayText}
        </Banner>
      )}
      {isSaving && heldCount > 0 && <Banner tone="info">{urlTexts.releaseText(heldCount)}</Banner>}
      {save.isError && <Banner tone="danger">{toApiError(save.error).message}</Banner>}
    </Dialog>
  );
}

function saveLabel(isGood: boolean, heldCount: number): string {
  if (heldCount > 0) return isGood ? urlTexts.saveAndSend(heldCount) : urlTexts.saveAnywayAndSend(heldCount);
  return isGood ? urlTexts.saveButton : urlTexts.saveAnyway;
}

/** Checks each URL once per opening of the dialog. */
function useChecks(urls: Urls) {
  const [openedAt] = useState(() => performance.now());
  const given = ENDPOINT_KINDS.flatMap((kind) => {
    const url = urls[kind];
    return typeof url === 'string' ? [{ kind, url }] : [];
  });
  const checks = useQueries({
    queries: given.map(({ kind, url }: { kind: EndpointKind; url: string }) => ({
      queryKey: ['endpoint-check', openedAt, kind, url],
      queryFn: () => checkUrl({ endpoint: kind, url }),
      staleTime: Infinity,
      gcTime: 0,
      retry: false,
    })),
  });
  return given.flatMap((endpoint, index) => {
    const check = checks[index];
    return check === undefined ? [] : [{ ...endpoint, check }];
  });
}

function Checking() {
  return (
    <div role="status" className="flex flex-col gap-2">
      <span className="text-sm text-ink-soft">{urlTexts.checking}</span>
      <Skeleton className="h-4 w-2/3" />
      <Skeleton className="h-4 w-1/2" />
    </div>
  );
}
