import { Link } from '@tanstack/react-router';
import type { Session } from '../api/people/session.ts';
import { shellTexts } from '../texts/shell.ts';
import { AccountMenu } from './account-menu.tsx';
import type { NavigationItem } from './navigation.ts';

export interface BottomBarProps {
  session: Session;
  items: readonly NavigationItem[];
  onShowKeys: () => void;
}

export function BottomBar({ session, items, onShowKeys }: BottomBarProps) {
  return (
    <nav
      aria-label={shellTexts.mainNavigation}
      className="fixed inset-x-0 bottom-0 z-30 flex items-stretch border-t bg-surface/95 px-2 pb-[env(safe-area-inset-bottom)] backdrop-blur md:hidden"
    >
      {items
        .filter((item) => item.isPrimary)
        .map((item) => (
          <Link
            key={item.label}
            {...item.link}
            className="flex min-h-14 min-w-0 flex-1 flex-col items-center justify-center gap-1 text-2xs font-medium text-ink-faint aria-[current=page]:text-ink"
          >
            <item.Icon aria-hidden className="size-5" />
            <span className="max-w-full truncate">{item.label}</span>
          </Link>
        ))}
      <div className="grid flex-1 place-items-center">
        <AccountMenu
          session={session}
          onShowKeys={onShowKeys}
          isCompact
          places={items.filter((item) => !item.isPrimary)}
        />
      </div>
    </nav>
  );
}
