// Separate from webhooks.ts, whose schemas the order pages do not need.
import type { QueryClient } from '@tanstack/react-query';

/** Covers the log, the figures, the banner above every page, and order timelines. */
export function readWebhooksAgain(queryClient: QueryClient): Promise<unknown> {
  return Promise.all([
    queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
    queryClient.invalidateQueries({ queryKey: ['orders', 'timeline'] }),
  ]);
}
