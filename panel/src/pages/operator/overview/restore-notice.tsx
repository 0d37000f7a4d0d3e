import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DAY_MS, formatUtc } from '../../../../../src/domain/time.ts';
import { restoreNoticeQuery, useDismissRestoreNotice } from '../../../api/operator/restore-notice.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/content/code-block.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { RelativeTime } from '../../../ui/time/times.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { paths } from '../../../paths.ts';
import { restoreNoticeTexts } from '../../../texts/operator/restore-notice.ts';
import { shellTexts } from '../../../texts/shell.ts';

export function RestoreNotice() {
  const { data } = useQuery(restoreNoticeQuery);
  const notice = data?.notice ?? null;
  if (notice === null) return null;
  return (
    <Banner tone="warn" title={restoreNoticeTexts[notice.cause]} actions={<DismissButton epochId={notice.epochId} />}>
      <p>
        {restoreNoticeTexts.startedAt[notice.cause]} <RelativeTime at={notice.startedAt} />. {restoreNoticeTexts.intro}
      </p>
      <ul className="mt-1 list-disc pl-4">
        {notice.unknowns.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1">
        {restoreNoticeTexts.where}
        {PLACES.map(({ text, link }) => (
          <Link key={text} {...link} className="text-accent hover:underline">
            {text}
          </Link>
        ))}
      </p>
      <p className="mt-3 mb-2">{restoreNoticeTexts.revoke}</p>
      <CodeBlock label={restoreNoticeTexts.command} text={restoreNoticeTexts.commandText} />
      <p className="mt-1 text-sm">
        {restoreNoticeTexts.commandTime}{' '}
        <code className="font-mono text-xs whitespace-nowrap">{dayBefore(notice.dataUntil)}</code>
      </p>
    </Banner>
  );
}

/** For a command line, without milliseconds. */
function dayBefore(at: string): string {
  return formatUtc(Date.parse(at) - DAY_MS).replace(/\.\d+/, '');
}

/** Pages for reviewing and changing the listed data. */
const PLACES = [
  { text: shellTexts.restaurants, link: paths.restaurants() },
  { text: shellTexts.couriers, link: paths.couriers() },
  { text: shellTexts.users, link: paths.users() },
  { text: shellTexts.planning, link: paths.planning() },
  { text: shellTexts.audit, link: paths.audit() },
] as const;

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
