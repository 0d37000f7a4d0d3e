import type { Session } from '../api/people/session.ts';
import type { NavigationItem } from './navigation.ts';

export const ACCOUNT_LOOK = 'flex min-w-0 items-center gap-2.5 rounded-md p-1.5 text-left';

export interface AccountMenuProps {
  session: Session;
  onShowKeys: () => void;
  isCompact?: boolean;
  /** Navigation items that do not fit in the navigation. */
  places?: readonly NavigationItem[];
}

export function AccountName({ session: { name, email }, isCompact }: { session: Session; isCompact: boolean }) {
  const shown = name === '' ? email : name;
  return (
    <>
      <span
        aria-hidden
        className="grid size-7 shrink-0 place-items-center rounded-full bg-sunken text-xs font-semibold text-ink-soft"
      >
        {shown.slice(0, 1).toUpperCase()}
      </span>
      {!isCompact && (
        <span className="flex min-w-0 flex-col">
          <span className="truncate text-sm font-medium">{shown}</span>
          {name !== '' && <span className="truncate text-xs text-ink-faint">{email}</span>}
        </span>
      )}
    </>
  );
}
