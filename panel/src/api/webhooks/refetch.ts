// Apart from webhooks.ts, whose schemas the pages of orders do not need.
import type { QueryClient } from '@tanstack/react-query';

/** Wherever they show: in the log and the figures, above every page, and on the page of their order. */
export function readWebhooksAgain(queryClient: QueryClient): Promise<unknown> {
  return Promise.all([
    queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
    queryClient.invalidateQueries({ queryKey: ['orders', 'timeline'] }),
  ]);
}
