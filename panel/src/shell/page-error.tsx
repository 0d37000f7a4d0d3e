import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { ApiError } from '../api/api-error.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { errorTexts } from '../texts/errors.ts';

/** A page that failed to load or to draw; the navigation around it goes on working. */
export function PageError({ error }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <main className="grid min-h-[60dvh] place-items-center">
      <ErrorState
        error={error}
        title={error instanceof ApiError ? errorTexts.title : errorTexts.crashed}
        isHeading
        // Also loads again: drawing alone would show the same error.
        onRetry={() => void router.invalidate()}
      />
    </main>
  );
}
