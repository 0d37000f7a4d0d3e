import { useNavigate } from '@tanstack/react-router';
import { CircleUserRound, Keyboard, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { useSignOut, type Session } from '../api/people/session.ts';
import { Menu, MenuChoice, MenuItem, MenuLine } from '../ui/menu.tsx';
import { paths } from '../paths.ts';
import { shellTexts } from '../texts/shell.ts';
import { chooseTheme, THEMES, useTheme } from '../ui/theme.ts';
import type { NavigationItem } from './navigation.ts';

const NO_PLACES: readonly NavigationItem[] = [];
const THEME_ICONS = { system: <Monitor />, light: <Sun />, dark: <Moon /> } as const;

export interface AccountMenuProps {
  session: Session;
  onShowKeys: () => void;
  isCompact?: boolean;
  /** Further places, where the navigation has no room for them. */
  places?: readonly NavigationItem[];
}

export function AccountMenu({ session, onShowKeys, isCompact = false, places = NO_PLACES }: AccountMenuProps) {
  const navigate = useNavigate();
  const theme = useTheme();
  const signOut = useSignOut();
  const { name, email } = session;
  const initial = (name === '' ? email : name).slice(0, 1).toUpperCase();
  return (
    <Menu
      label={shellTexts.accountMenu}
      trigger={
        <button type="button" className="flex min-w-0 items-center gap-2.5 rounded-md p-1.5 text-left hover:bg-hover">
          <span className="sr-only">{shellTexts.accountMenu}</span>
          <span
            aria-hidden
            className="grid size-7 shrink-0 place-items-center rounded-full bg-sunken text-xs font-semibold text-ink-soft"
          >
            {initial}
          </span>
          {!isCompact && (
            <span className="flex min-w-0 flex-col">
              <span className="truncate text-sm font-medium">{name === '' ? email : name}</span>
              {name !== '' && <span className="truncate text-xs text-ink-faint">{email}</span>}
            </span>
          )}
        </button>
      }
    >
      {places.map(({ label, Icon, link }) => (
        <MenuItem key={label} icon={<Icon />} onSelect={() => void navigate(link)}>
          {label}
        </MenuItem>
      ))}
      {places.length > 0 && <MenuLine />}
      <MenuItem icon={<CircleUserRound />} onSelect={() => void navigate(paths.account())}>
        {shellTexts.account}
      </MenuItem>
      <MenuItem icon={<Keyboard />} onSelect={onShowKeys}>
        {shellTexts.shortcuts}
      </MenuItem>
      <MenuLine />
      <MenuChoice
        label={shellTexts.theme}
        value={theme}
        options={THEMES.map((value) => ({ value, label: shellTexts.themes[value], icon: THEME_ICONS[value] }))}
        onChange={chooseTheme}
      />
      <MenuLine />
      <MenuItem icon={<LogOut />} onSelect={() => signOut.mutate()}>
        {shellTexts.signOut}
      </MenuItem>
    </Menu>
  );
}
