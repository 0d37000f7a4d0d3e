import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { ApiError } from '../api/api-error.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { errorTexts } from '../texts/errors.ts';

/** Shown when a page fails to load or render; the navigation keeps working. */
export function PageError({ error }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <main className="grid min-h-[60dvh] place-items-center">
      <ErrorState
        error={error}
        title={error instanceof ApiError ? errorTexts.title : errorTexts.crashed}
        isHeading
        // Also reloads the data: rendering alone would fail again.
        onRetry={() => void router.invalidate()}
      />
    </main>
  );
}
