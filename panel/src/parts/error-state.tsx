import { CloudAlert } from 'lucide-react';
import { toApiError } from '../api/api-error.ts';
import { errorTexts } from '../texts/errors.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/content/empty-state.tsx';

export interface ErrorStateProps {
  error: unknown;
  title?: string;
  /** For when nothing else is on the page. */
  isHeading?: boolean;
  onRetry?: () => void;
}

/** The service's error message, a retry button, and the request id for support. */
export function ErrorState({ error, title = errorTexts.title, isHeading = false, onRetry }: ErrorStateProps) {
  const problem = toApiError(error);
  return (
    <div role="alert">
      <EmptyState
        icon={<CloudAlert />}
        title={title}
        isHeading={isHeading}
        action={onRetry !== undefined && <Button onClick={onRetry}>{errorTexts.retry}</Button>}
      >
        <p>{problem.message}</p>
        {problem.requestId !== null && (
          <p className="mt-2 text-xs text-ink-faint">
            {errorTexts.requestId} <code className="font-mono">{problem.requestId}</code>
          </p>
        )}
      </EmptyState>
    </div>
  );
}
