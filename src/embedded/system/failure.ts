// What goes wrong with the embedded server is mostly something a person can put right, so it is told to them.

/** The message is one sentence for whoever started the service: what is wrong, and what to do about it. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
