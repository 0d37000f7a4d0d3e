import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from '../parts/error-state.tsx';
import { errorTexts } from '../texts/errors.ts';

/** A page that failed to load or to draw; the navigation around it goes on working. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <main className="grid min-h-[60dvh] place-items-center">
      <ErrorState error={error} title={errorTexts.crashed} onRetry={reset} />
    </main>
  );
}
