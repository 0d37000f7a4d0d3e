import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { Mark } from '../../shell/logo.tsx';
import { commonTexts } from '../../texts/everywhere.ts';

export interface SignInFrameProps {
  title: string;
  text?: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
}

/** The quiet page of everything that happens before one is signed in. */
export function SignInFrame({ title, text, children, footer }: SignInFrameProps) {
  useEffect(() => {
    document.title = `${title} · ${commonTexts.product}`;
  }, [title]);
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="flex w-full max-w-sm flex-col gap-6">
        <div className="flex flex-col gap-4">
          <Mark className="size-9" />
          <div className="flex flex-col gap-1">
            <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
            {text !== undefined && <p className="text-ink-soft">{text}</p>}
          </div>
        </div>
        <div className="rounded-lg border bg-surface p-6 shadow-card">{children}</div>
        {footer !== undefined && <div className="text-sm text-ink-soft">{footer}</div>}
      </div>
    </main>
  );
}

export const LINK = 'font-medium text-accent underline-offset-4 hover:underline';
