// The error type for every failed call to the service.
import type { FieldProblem } from '../../../src/domain/refusals.ts';

export class ApiError extends Error {
  /** 0 when there was no response. */
  readonly status: number;
  readonly code: string;
  readonly details: readonly FieldProblem[];
  /** For support requests; null when the service was not reached. */
  readonly requestId: string | null;

  constructor(
    message: string,
    about: { status: number; code: string; details?: readonly FieldProblem[]; requestId?: string | null },
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = about.status;
    this.code = about.code;
    this.details = about.details ?? [];
    this.requestId = about.requestId ?? null;
  }

  /** The validation message for one field of the request. */
  problemOf(field: string): string | undefined {
    return this.details.find((problem) => problem.field === field)?.message;
  }
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(error instanceof Error ? error.message : String(error), { status: 0, code: 'PANEL' });
}
