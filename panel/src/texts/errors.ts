export const errorTexts = {
  notReached: 'Waybill could not be reached. Check the connection and try again.',
  /** Replaces the service's message, which is written for developers. */
  messages: {
    RATE_002:
      'Your account has too many requests running at once, from open tabs or from a script that signs in as you. Close some of them, or try again in a few seconds.',
  } as Readonly<Record<string, string>>,
  failed: (status: number) => `Waybill answered with status ${status}. Try again shortly.`,
  unexpectedAnswer: (fields: string) =>
    `The answer was not what this page expects (${fields}). Reload the page: it may be older than the service.`,
  title: 'This could not be loaded',
  retry: 'Try again',
  requestId: 'Request id',
  crashed: 'Something went wrong on this page',
  reload: 'Reload the page',
  notFoundTitle: 'There is nothing here',
  notFoundText: 'The address may be mistyped, or what it named may be gone.',
  toStart: 'Go to the start page',
} as const;
