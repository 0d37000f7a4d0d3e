// Notices above every page: impersonation, a lost connection, failing webhooks.
import { lazy, Suspense } from 'react';
import type { Session } from '../api/people/session.ts';
import { useStopImpersonating } from '../api/people/session.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { shellTexts } from '../texts/shell.ts';
import { Mark } from './logo.tsx';
import { nameOfPlace } from './navigation.ts';
import { TestMark } from './sidebar.tsx';

const FailingWebhooks = lazy(async () => ({ default: (await import('./failing-webhooks.tsx')).FailingWebhooks }));

export function Notices({ session, isLive }: { session: Session; isLive: boolean }) {
  const { impersonatedBy, restaurant } = session;
  return (
    <>
      <header className="flex items-center gap-2.5 border-b bg-surface px-4 py-2.5 md:hidden">
        <Mark className="size-6" />
        <span className="min-w-0 flex-1 truncate font-medium">{restaurant?.name ?? nameOfPlace(session.role)}</span>
        {session.environment === 'test' && <TestMark />}
      </header>
      {impersonatedBy !== null && <ImpersonationBar who={impersonatedBy} restaurant={restaurant?.name ?? ''} />}
      <div aria-live="polite">
        {!isLive && (
          <Banner tone="warn" className="rounded-none border-x-0 border-t-0">
            {shellTexts.reconnecting}
          </Banner>
        )}
        {restaurant !== null && (
          <Suspense>
            <FailingWebhooks />
          </Suspense>
        )}
      </div>
    </>
  );
}

function ImpersonationBar({ who, restaurant }: { who: string; restaurant: string }) {
  const stop = useStopImpersonating();
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 bg-ink px-4 py-2 text-on-ink sm:px-8">
      <p className="text-sm">{shellTexts.impersonating(who, restaurant)}</p>
      <Button size="small" isBusy={stop.isPending} onClick={() => stop.mutate()}>
        {shellTexts.stopImpersonating}
      </Button>
    </div>
  );
}
