// Most failures of the embedded server can be fixed by an operator, so their messages are shown to people.

/** The message is for the person who started the service: what is wrong and how to fix it. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
