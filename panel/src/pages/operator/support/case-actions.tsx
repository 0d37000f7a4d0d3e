// The operator's actions on a support case: write, record it, probe, close.
import { Mail, Radar } from 'lucide-react';
import { useState } from 'react';
import type { ProbeAnswer, SupportCaseDetail } from '../../../../../src/contract/panel/operator/support.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useCaseAct, useProbe } from '../../../api/operator/support.ts';
import { useSignInAs } from '../../../api/operator/overview.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { InspectionRows } from '../../../parts/webhooks/inspection-rows.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { supportTexts } from '../../../texts/operator/support.ts';

export function CaseActs({ supportCase }: { supportCase: SupportCaseDetail }) {
  const { id, state, url, restaurantId } = supportCase;
  const [isResolving, setIsResolving] = useState(false);
  const contacted = useCaseAct(id, 'markContacted');
  const probe = useProbe(id);
  const signInAs = useSignInAs();
  const failed = [contacted, probe, signInAs].find(({ isError }) => isError);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          icon={<Mail aria-hidden className="size-4" />}
          isBusy={contacted.isPending}
          disabledReason={state === 'open' ? null : supportTexts.notOpen}
          onClick={() => contacted.mutate(undefined, { onSuccess: () => showToast(supportTexts.markedContacted) })}
        >
          {supportTexts.markContacted}
        </Button>
        <Button
          icon={<Radar aria-hidden className="size-4" />}
          isBusy={probe.isPending}
          disabledReason={url === null ? supportTexts.probeNoUrl : null}
          onClick={() => probe.mutate()}
        >
          {supportTexts.probe}
        </Button>
        <Button
          disabledReason={state === 'resolved' ? supportTexts.isResolved : null}
          onClick={() => setIsResolving(true)}
        >
          {supportTexts.resolve}
        </Button>
        <Button look="quiet" isBusy={signInAs.isPending} onClick={() => signInAs.mutate({ restaurantId })}>
          {supportTexts.signInAs}
        </Button>
      </div>
      {failed !== undefined && <Banner tone="danger">{toApiError(failed.error).message}</Banner>}
      {probe.data !== undefined && <ProbeResult probe={probe.data} />}
      {isResolving && <ResolveDialog caseId={id} onClose={() => setIsResolving(false)} />}
    </>
  );
}

function ResolveDialog({ caseId, onClose }: { caseId: string; onClose: () => void }) {
  const resolve = useCaseAct(caseId, 'resolve');
  const confirm = (): void =>
    resolve.mutate(undefined, {
      onSuccess: () => {
        showToast(supportTexts.resolved);
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={supportTexts.resolveTitle}
      consequence={supportTexts.resolveText}
      confirmLabel={supportTexts.resolve}
      isOpen
      isBusy={resolve.isPending}
      problem={resolve.isError ? toApiError(resolve.error).message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

function ProbeResult({ probe: { inspection, sent } }: { probe: ProbeAnswer }) {
  return (
    <div aria-live="polite">
      <Card title={supportTexts.probeTitle}>
        <div className="flex flex-col gap-5">
          <Banner
            tone={inspection.ok ? 'good' : 'danger'}
            title={inspection.ok ? supportTexts.reachable : supportTexts.unreachable}
          >
            {inspection.ok ? supportTexts.sent[sent ?? 'none'] : supportTexts.unreachableText}
          </Banner>
          <ul className="flex max-w-2xl flex-col gap-4">
            <InspectionRows inspection={inspection} />
          </ul>
        </div>
      </Card>
    </div>
  );
}
