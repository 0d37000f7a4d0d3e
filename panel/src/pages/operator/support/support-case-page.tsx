import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { SupportCaseDetail } from '../../../../../src/contract/panel/operator/support.ts';
import { formatCount } from '../../../../../src/domain/counts.ts';
import { supportCaseQuery } from '../../../api/operator/support.ts';
import { Badge } from '../../../parts/orders/badge.tsx';
import { Breakable } from '../../../ui/content/breakable-text.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { KeyValue } from '../../../ui/content/key-value.tsx';
import { Card, Page } from '../../../ui/content/page.tsx';
import { SkeletonRows } from '../../../ui/content/skeleton.tsx';
import { Table, type Column } from '../../../ui/content/table.tsx';
import { Age, ZonedTime } from '../../../ui/time/times.tsx';
import { paths } from '../../../paths.ts';
import { supportTexts } from '../../../texts/operator/support.ts';
import { CaseActs } from './case-actions.tsx';
import { CaseNotes } from './case-notes.tsx';
import { CASE_TONES } from './case-tones.ts';

export function SupportCasePage() {
  const { caseId } = useParams({ from: '/app/operator/support/$caseId' });
  const query = useQuery(supportCaseQuery(caseId));
  const { data } = query;
  return (
    <Page
      title={
        data === undefined
          ? supportTexts.title
          : supportTexts.caseTitle(data.restaurantName, supportTexts.endpoints[data.endpoint])
      }
      mark={data !== undefined && <Badge tone={CASE_TONES[data.state]}>{supportTexts.states[data.state]}</Badge>}
      crumb={
        <Link {...paths.supportCases()} className="inline-flex items-center gap-1 hover:text-ink">
          <ChevronLeft aria-hidden className="size-4" />
          {supportTexts.title}
        </Link>
      }
    >
      {query.isPending && (
        <Card isFlush>
          <SkeletonRows />
        </Card>
      )}
      {query.isError && data === undefined && (
        <Card>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Card>
      )}
      {data !== undefined && <CaseDetail supportCase={data} />}
    </Page>
  );
}

function CaseDetail({ supportCase }: { supportCase: SupportCaseDetail }) {
  return (
    <>
      <CaseActs supportCase={supportCase} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Card title={supportTexts.facts}>
          <CaseFacts supportCase={supportCase} />
        </Card>
        <CaseNotes supportCase={supportCase} />
      </div>
      <Card title={supportTexts.lastErrors} isFlush>
        {supportCase.lastErrors.length === 0 ? (
          <p className="px-5 pb-5 text-ink-soft">{supportTexts.noErrors}</p>
        ) : (
          <Table
            caption={supportTexts.lastErrors}
            columns={ERROR_COLUMNS}
            rows={supportCase.lastErrors}
            keyOf={({ at }) => at}
          />
        )}
      </Card>
    </>
  );
}

function CaseFacts({ supportCase }: { supportCase: SupportCaseDetail }) {
  const { contacts, url, failingSince, openedAt, contactedAt, resolvedAt, resolution } = supportCase;
  return (
    <KeyValue
      entries={[
        {
          name: supportTexts.contact,
          value:
            contacts.length === 0
              ? supportTexts.noContact
              : contacts.map((email) => (
                  <a key={email} href={`mailto:${email}`} className="block text-accent hover:underline">
                    {email}
                  </a>
                )),
        },
        { name: supportTexts.url, value: <Breakable text={url ?? supportTexts.noUrl} /> },
        {
          name: supportTexts.failingSince,
          value: (
            <>
              <ZonedTime at={failingSince} /> <span className="text-ink-faint">(</span>
              <Age since={failingSince} />
              <span className="text-ink-faint">)</span>
            </>
          ),
        },
        { name: supportTexts.waiting, value: formatCount(supportCase.waiting) },
        { name: supportTexts.failedAttempts, value: formatCount(supportCase.failedAttempts) },
        {
          name: supportTexts.oldestWaiting,
          value: supportCase.oldestWaitingAt !== null && <ZonedTime at={supportCase.oldestWaitingAt} />,
        },
        { name: supportTexts.opened, value: <ZonedTime at={openedAt} /> },
        { name: supportTexts.contactedAt, value: contactedAt !== null && <ZonedTime at={contactedAt} /> },
        { name: supportTexts.resolvedAt, value: resolvedAt !== null && <ZonedTime at={resolvedAt} /> },
        { name: supportTexts.how, value: resolution !== null && supportTexts.resolutions[resolution] },
      ]}
    />
  );
}

const ERROR_COLUMNS: readonly Column<SupportCaseDetail['lastErrors'][number]>[] = [
  { header: supportTexts.at, cell: ({ at }) => <ZonedTime at={at} /> },
  {
    header: supportTexts.status,
    cell: ({ status }) => <span className="tabular">{status ?? supportTexts.noStatus}</span>,
  },
  { header: supportTexts.error, cell: ({ error }) => <span className="break-words">{error}</span> },
];
