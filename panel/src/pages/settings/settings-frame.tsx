// Shared by all settings pages: the navigation between them, and who may change settings.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../api/people/session.ts';
import { Banner } from '../../ui/banner.tsx';
import { Page } from '../../ui/content/page.tsx';
import { paths } from '../../paths.ts';
import { settingsTexts } from '../../texts/webhooks/integration.ts';

const SECTIONS = [
  { label: settingsTexts.integration, link: paths.integrationSettings() },
  { label: settingsTexts.restaurant, link: paths.restaurantSettings() },
];

export interface SettingsFrameProps {
  title: string;
  mark?: ReactNode;
  description: string;
  children: ReactNode;
}

export function SettingsFrame({ title, mark, description, children }: SettingsFrameProps) {
  const { role } = useSession();
  return (
    <Page title={title} mark={mark} description={description} crumb={settingsTexts.settings} width="narrow">
      <nav aria-label={settingsTexts.sections} className="flex gap-5 border-b">
        {SECTIONS.map(({ label, link }) => (
          <Link
            key={label}
            {...link}
            className="-mb-px border-b-2 border-transparent py-2 font-medium text-ink-soft hover:text-ink aria-[current=page]:border-ink aria-[current=page]:text-ink"
          >
            {label}
          </Link>
        ))}
      </nav>
      {role !== 'owner' && <Banner tone="info">{settingsTexts.viewOnly}</Banner>}
      {children}
    </Page>
  );
}

/** The reason why the current user cannot change settings, if any. */
export function useOwnersOnly(): string | null {
  const { role } = useSession();
  return role === 'owner' ? null : settingsTexts.ownersOnly;
}
