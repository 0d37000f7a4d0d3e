// The menu library is as large as the board itself, so the account menu is loaded after the page.
import { lazy, Suspense } from 'react';
import { ACCOUNT_LOOK, AccountName, type AccountMenuProps } from './account-name.tsx';
import type { NavigationItem } from './navigation.ts';

const AccountChoices = lazy(async () => ({ default: (await import('./account-choices.tsx')).AccountChoices }));

const NO_PLACES: readonly NavigationItem[] = [];

export function AccountMenu({ session, onShowKeys, isCompact = false, places = NO_PLACES }: AccountMenuProps) {
  const name = <AccountName session={session} isCompact={isCompact} />;
  return (
    // Not a button until the menu is loaded.
    <Suspense fallback={<span className={ACCOUNT_LOOK}>{name}</span>}>
      <AccountChoices session={session} onShowKeys={onShowKeys} isCompact={isCompact} places={places} />
    </Suspense>
  );
}
