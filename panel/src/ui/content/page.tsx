// The layout of every page: heading, actions, and cards.
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { commonTexts } from '../../texts/everywhere.ts';
import { classes } from '../class-names.ts';

export interface PageProps {
  title: string;
  /** Beside the title: a badge, a number. */
  mark?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Above the title: a link to the parent page. */
  crumb?: ReactNode;
  /** Settings and prose read better in a narrow column; boards and tables use the whole width. */
  width?: 'narrow' | 'wide' | 'full';
  children: ReactNode;
}

const WIDTHS = { narrow: 'max-w-3xl', wide: 'max-w-6xl', full: 'max-w-none' } as const;

export function Page({ title, mark, description, actions, crumb, width = 'wide', children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${commonTexts.product}`;
  }, [title]);
  return (
    <div className={classes('mx-auto flex w-full flex-col gap-6 px-4 py-6 sm:px-8 sm:py-8', WIDTHS[width])}>
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="flex min-w-0 flex-col gap-1">
          {crumb !== undefined && <div className="text-sm text-ink-faint">{crumb}</div>}
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="text-xl font-semibold tracking-tight break-words sm:text-2xl">{title}</h1>
            {mark}
          </div>
          {description !== undefined && <div className="max-w-2xl text-ink-soft">{description}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export interface CardProps {
  title?: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** Without padding, for tables and lists. */
  isFlush?: boolean;
  className?: string;
  children?: ReactNode;
}

export function Card({ title, description, actions, isFlush = false, className, children }: CardProps) {
  return (
    <section
      aria-label={title}
      className={classes('overflow-hidden rounded-lg border bg-surface shadow-card', className)}
    >
      {title !== undefined && (
        <header className={classes('flex flex-wrap items-start justify-between gap-3 px-5 pt-4', isFlush && 'pb-4')}>
          <div className="flex min-w-0 flex-1 basis-64 flex-col gap-0.5">
            <h2 className="text-base font-semibold">{title}</h2>
            {description !== undefined && <div className="max-w-prose text-sm text-ink-soft">{description}</div>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      {children !== undefined && <div className={isFlush ? '' : 'p-5'}>{children}</div>}
    </section>
  );
}
