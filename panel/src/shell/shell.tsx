// The layout around every page: a sidebar on wide screens, a bottom bar on phones.
import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useOrderNews } from '../api/orders/updates.ts';
import { useSession } from '../api/people/session.ts';
import { ZoneContext } from '../ui/time/zone.ts';
import { focusSearch, listenForShortcuts } from '../ui/shortcuts.ts';
import { useLive } from '../api/live/live.ts';
import { useOrderSounds } from './order-sounds.ts';
import { shellTexts } from '../texts/shell.ts';
import { BottomBar } from './bottom-bar.tsx';
import { KeyboardHelp } from './keyboard-help.tsx';
import { navigationOf } from './navigation.ts';
import { Notices } from './notices.tsx';
import { Sidebar } from './sidebar.tsx';

export function Shell() {
  const session = useSession();
  const router = useRouter();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const items = useMemo(() => navigationOf(session.role), [session.role]);
  const isLive = useLive(session);
  useOrderNews();
  useOrderSounds();
  const showKeys = (): void => setIsHelpOpen(true);
  useEffect(
    () =>
      listenForShortcuts([
        { keys: ['/'], run: focusSearch },
        { keys: ['?'], run: () => setIsHelpOpen(true) },
        ...items.map((item) => ({ keys: ['g', item.key] as const, run: () => void router.navigate(item.link) })),
      ]),
    [items, router],
  );
  return (
    <ZoneContext value={session.restaurant?.timeZone ?? 'UTC'}>
      <div className="min-h-dvh md:grid md:grid-cols-[15rem_1fr]">
        <a
          href="#content"
          className="sr-only z-50 rounded-md bg-ink px-3 py-2 text-on-ink focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
        >
          {shellTexts.skipToContent}
        </a>
        <Sidebar session={session} items={items} isLive={isLive} onShowKeys={showKeys} />
        {/* A page with `data-fills` takes the window's height and scrolls inside itself. */}
        <div className="flex min-w-0 flex-col pb-20 md:pb-0 has-[[data-fills]]:h-dvh">
          <Notices session={session} isLive={isLive} />
          <main
            id="content"
            tabIndex={-1}
            className="flex min-w-0 flex-1 flex-col outline-none has-[[data-fills]]:min-h-0"
          >
            <Outlet />
          </main>
        </div>
        <BottomBar session={session} items={items} onShowKeys={showKeys} />
        <KeyboardHelp items={items} isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)} />
      </div>
    </ZoneContext>
  );
}
