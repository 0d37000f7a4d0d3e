// Helpers for writing request bodies in tests.
import type { RefusalCode } from '../../src/domain/refusals.ts';

export interface HostileBody {
  name: string;
  body: Buffer;
  /** Defaults to `application/json`. */
  contentType?: string;
  contentEncoding?: string;
  expect: { status: number; code: RefusalCode; field?: string };
}

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export function invalid(field: string): HostileBody['expect'] {
  return { status: 422, code: 'REQ_004', field };
}

export const SIZE_LIMIT = 262_144;

export function padded(ids: string, size: number): Buffer {
  const empty = `{${ids},"padding":""}`;
  return Buffer.from(`{${ids},"padding":"${'x'.repeat(size - empty.length)}"}`);
}

export function encode(value: Json): Buffer {
  return Buffer.from(JSON.stringify(value));
}
