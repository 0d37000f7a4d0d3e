import { Link } from '@tanstack/react-router';
import type { Session } from '../api/people/session.ts';
import { Badge } from '../parts/orders/badge.tsx';
import { classes } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { paths } from '../paths.ts';
import { shellTexts } from '../texts/shell.ts';
import { AccountMenu } from './account-menu.tsx';
import { Wordmark } from './logo.tsx';
import { nameOfPlace, type NavigationItem } from './navigation.ts';

export interface SidebarProps {
  session: Session;
  items: readonly NavigationItem[];
  isLive: boolean;
  onShowKeys: () => void;
}

export function Sidebar({ session, items, isLive, onShowKeys }: SidebarProps) {
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col border-r bg-surface px-3 pt-5 pb-3 md:flex">
      <div className="flex items-center justify-between px-2">
        <Link {...paths.start()} className="rounded-md">
          <Wordmark />
        </Link>
        {session.environment === 'test' && <TestMark />}
      </div>
      <p className="mt-5 truncate px-2 text-sm text-ink-soft" title={session.restaurant?.name}>
        {session.restaurant?.name ?? nameOfPlace(session.role)}
      </p>
      <nav aria-label={shellTexts.mainNavigation} className="mt-3 flex flex-1 flex-col gap-0.5 overflow-y-auto">
        {items.map((item) => (
          <Link
            key={item.label}
            {...item.link}
            className="relative flex items-center gap-3 rounded-md px-2.5 py-2 font-medium text-ink-soft before:absolute before:inset-y-2 before:left-0 before:w-0.75 before:rounded-full hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:text-ink aria-[current=page]:before:bg-brand"
          >
            <item.Icon aria-hidden className="size-4.5" />
            {item.label}
          </Link>
        ))}
      </nav>
      <p className="flex items-center gap-2 px-2.5 py-2 text-xs text-ink-faint">
        <span aria-hidden className={classes('size-1.5 rounded-full', isLive ? 'bg-good' : 'animate-pulse bg-warn')} />
        {isLive ? shellTexts.live : shellTexts.reconnectingShort}
      </p>
      <AccountMenu session={session} onShowKeys={onShowKeys} />
    </aside>
  );
}

export function TestMark() {
  return (
    <Tooltip text={shellTexts.testEnvironmentHint}>
      <button type="button" className="cursor-help rounded-full">
        <Badge tone="warn">{shellTexts.testEnvironment}</Badge>
      </button>
    </Tooltip>
  );
}
