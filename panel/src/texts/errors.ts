export const errorTexts = {
  notReached: "We couldn't reach Waybill. Check your connection and try again.",
  /** Replaces the service's message, which is written for developers. */
  messages: {
    RATE_002:
      'Your account has too many requests in progress, from open tabs or from a script. Close some of them, or try again in a few seconds.',
  } as Readonly<Record<string, string>>,
  failed: (status: number) => `Waybill returned an error (status ${status}). Try again in a moment.`,
  unexpectedAnswer: (fields: string) => `This page is out of date (${fields}). Reload it to get the current version.`,
  title: 'Failed to load',
  retry: 'Try again',
  requestId: 'Request ID',
  crashed: 'Something went wrong',
  reload: 'Reload page',
  notFoundTitle: 'Page not found',
  notFoundText: 'Check the address, or start from the home page.',
  toStart: 'Go to home page',
} as const;
