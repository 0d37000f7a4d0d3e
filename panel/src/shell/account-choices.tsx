import { useNavigate } from '@tanstack/react-router';
import { CircleUserRound, Keyboard, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { useSignOut } from '../api/people/session.ts';
import { classes } from '../ui/class-names.ts';
import { Menu, MenuChoice, MenuItem, MenuLine } from '../ui/menu.tsx';
import { paths } from '../paths.ts';
import { shellTexts } from '../texts/shell.ts';
import { chooseTheme, THEMES, useTheme } from '../ui/theme.ts';
import { ACCOUNT_LOOK, AccountName, type AccountMenuProps } from './account-name.tsx';

const THEME_ICONS = { system: <Monitor />, light: <Sun />, dark: <Moon /> } as const;

export function AccountChoices({ session, onShowKeys, isCompact, places }: Required<AccountMenuProps>) {
  const navigate = useNavigate();
  const theme = useTheme();
  const signOut = useSignOut();
  return (
    <Menu
      label={shellTexts.accountMenu}
      trigger={
        <button type="button" className={classes(ACCOUNT_LOOK, 'hover:bg-hover')}>
          <span className="sr-only">{shellTexts.accountMenu}</span>
          <AccountName session={session} isCompact={isCompact} />
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
