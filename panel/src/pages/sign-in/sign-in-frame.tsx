import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { Mark, Wordmark } from '../../shell/logo.tsx';
import { commonTexts } from '../../texts/everywhere.ts';
import { signInTexts } from '../../texts/people/sign-in.ts';
import { RouteDrawing } from './route-drawing.tsx';

export interface SignInFrameProps {
  title: string;
  text?: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
}

/** The layout of all pages that need no session. */
export function SignInFrame({ title, text, children, footer }: SignInFrameProps) {
  useEffect(() => {
    document.title = `${title} · ${commonTexts.product}`;
  }, [title]);
  return (
    <main className="grid min-h-dvh lg:grid-cols-[minmax(26rem,2fr)_3fr]">
      <div className="relative hidden flex-col justify-between overflow-hidden bg-night p-10 text-on-night lg:flex">
        <RouteDrawing className="absolute inset-0 size-full" />
        <Wordmark />
        <p className="relative max-w-sm text-xl font-medium text-balance">{signInTexts.promise}</p>
      </div>
      <div className="grid place-items-center px-4 py-10">
        <div className="flex w-full max-w-sm flex-col gap-6">
          <div className="flex flex-col gap-4">
            <Mark className="size-9 lg:hidden" />
            <div className="flex flex-col gap-1">
              <h1 className="text-2xl font-semibold">{title}</h1>
              {text !== undefined && <p className="text-ink-soft">{text}</p>}
            </div>
          </div>
          <div className="rounded-xl border bg-surface p-6 shadow-card">{children}</div>
          {footer !== undefined && <div className="text-sm text-ink-soft">{footer}</div>}
        </div>
      </div>
    </main>
  );
}

export const LINK = 'font-medium text-accent underline-offset-4 hover:underline';
