/** Roads are unavailable; the message is for the user. */
export class RoadsError extends Error {
  override name = 'RoadsError';
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}
