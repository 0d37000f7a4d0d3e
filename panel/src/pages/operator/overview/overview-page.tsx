import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { OverviewAnswer } from '../../../../../src/contract/panel/operator/overview.ts';
import { overviewQuery } from '../../../api/operator/overview.ts';
import { Banner } from '../../../ui/banner.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { Card, Page } from '../../../ui/content/page.tsx';
import { SkeletonRows } from '../../../ui/content/skeleton.tsx';
import { useLiveEvent } from '../../../api/live/live.ts';
import { overviewTexts } from '../../../texts/operator/overview.ts';
import { ReplanButton } from '../../planning/replan-button.tsx';
import { FailingEndpointsCard } from './failing-endpoints-card.tsx';
import { HealthCard } from './health-card.tsx';
import { listProblems } from './health.ts';
import { LookCard } from './attention-card.tsx';
import { OrdersNowCard } from './orders-now-card.tsx';
import { RestoreNotice } from './restore-notice.tsx';
import { SetAsideCard } from './set-aside-card.tsx';

export function OverviewPage() {
  const overview = useQuery(overviewQuery);
  const queryClient = useQueryClient();
  const readAgain = useCallback(
    () => void queryClient.invalidateQueries(overviewQuery, { cancelRefetch: false }),
    [queryClient],
  );
  useLiveEvent('changed', readAgain);
  return (
    <Page title={overviewTexts.title} description={overviewTexts.description} actions={<ReplanButton />}>
      <RestoreNotice />
      {overview.isPending && (
        <Card isFlush>
          <SkeletonRows count={8} />
        </Card>
      )}
      {overview.isError && overview.data === undefined && (
        <Card>
          <ErrorState error={overview.error} onRetry={() => void overview.refetch()} />
        </Card>
      )}
      {overview.data !== undefined && <Overview overview={overview.data} />}
    </Page>
  );
}

function Overview({ overview }: { overview: OverviewAnswer }) {
  return (
    <>
      <Verdict overview={overview} />
      {overview.setAside.count > 0 && <SetAsideCard setAside={overview.setAside} />}
      <OrdersNowCard orders={overview.orders} />
      <LookCard orders={overview.orders} />
      <FailingEndpointsCard endpoints={overview.endpoints} />
      <HealthCard health={overview.health} />
    </>
  );
}

function Verdict({ overview }: { overview: OverviewAnswer }) {
  const problems = listProblems(overview);
  if (problems.length === 0) {
    return (
      <Banner tone="good" title={overviewTexts.allWell}>
        {overviewTexts.allWellText}
      </Banner>
    );
  }
  return (
    <Banner tone="warn" title={overviewTexts.problems(problems.length)}>
      <ul className="list-disc pl-4">
        {problems.map(({ key, text }) => (
          <li key={key}>{text}</li>
        ))}
      </ul>
    </Banner>
  );
}
