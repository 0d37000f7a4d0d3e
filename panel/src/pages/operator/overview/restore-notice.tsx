import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { restoreNoticeQuery, useDismissRestoreNotice } from '../../../api/operator/restore-notice.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { restoreNoticeTexts } from '../../../texts/operator/restore-notice.ts';

export function RestoreNotice() {
  const { data } = useQuery(restoreNoticeQuery);
  const notice = data?.notice ?? null;
  if (notice === null) return null;
  return (
    <Banner tone="warn" title={restoreNoticeTexts[notice.cause]} actions={<DismissButton epochId={notice.epochId} />}>
      <p>{restoreNoticeTexts.intro}</p>
      <ul className="mt-1 list-disc pl-4">
        {notice.unknowns.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <p className="mt-2">{restoreNoticeTexts.revoke}</p>
    </Banner>
  );
}

function DismissButton({ epochId }: { epochId: string }) {
  const [isAsked, setIsAsked] = useState(false);
  const dismiss = useDismissRestoreNotice();
  const act = (): void =>
    dismiss.mutate(epochId, {
      onSuccess: () => {
        showToast(restoreNoticeTexts.dismissed);
        setIsAsked(false);
      },
    });
  return (
    <>
      <Button size="small" onClick={() => setIsAsked(true)}>
        {restoreNoticeTexts.dismiss}
      </Button>
      <ConfirmDialog
        title={restoreNoticeTexts.dismissTitle}
        consequence={restoreNoticeTexts.dismissText}
        confirmLabel={restoreNoticeTexts.dismiss}
        isOpen={isAsked}
        isBusy={dismiss.isPending}
        problem={dismiss.error?.message}
        onConfirm={act}
        onClose={() => {
          setIsAsked(false);
          dismiss.reset();
        }}
      />
    </>
  );
}
