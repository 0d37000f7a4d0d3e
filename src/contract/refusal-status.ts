// The HTTP status of each refusal. A code without a status does not compile.
import type { RefusalCode } from '../domain/refusals.ts';

export const REFUSAL_STATUS = {
  AUTH_001: 401,
  AUTH_002: 401,
  AUTH_003: 401,
  AUTH_004: 401,
  AUTH_010: 403,
  AUTH_011: 403,
  AUTH_012: 403,
  RATE_001: 429,
  REQ_001: 400,
  REQ_002: 415,
  REQ_003: 413,
  REQ_004: 422,
  REQ_005: 404,
  ORDER_001: 409,
  ORDER_002: 404,
  ORDER_003: 409,
  SRV_001: 503,
  SRV_002: 500,
} as const satisfies Record<RefusalCode, number>;
