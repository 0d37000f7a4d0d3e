// Backup file format: gzip over lines of JSON. First a header; then for each table a line with its name and one line
// per row, with columns as PostgreSQL's own text, which is lossless; last, the checksum of all previous lines.
import { z } from 'zod';

export const FORMAT_NAME = 'waybill-backup';
export const FORMAT_VERSION = 1;

export const headerSchema = z.object({
  format: z.literal(FORMAT_NAME),
  version: z.literal(FORMAT_VERSION),
  createdAt: z.string(),
  migrations: z.array(z.object({ name: z.string(), hash: z.string() })),
  /** Key check of the installation, in base64: shows before any write whether the master key is the right one. */
  keyCheck: z.string().nullable(),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.number().int().nonnegative() })),
  sequences: z.array(z.object({ name: z.string(), lastValue: z.string().regex(/^\d+$/), isCalled: z.boolean() })),
});
export type BackupHeader = z.output<typeof headerSchema>;

export const tableLineSchema = z.strictObject({ table: z.string() });
export const rowSchema = z.array(z.string().nullable());
export const endSchema = z.strictObject({ end: z.literal(true), rows: z.number().int(), sha256: z.string() });

/** The message is one sentence for the person running the command. */
export class BackupError extends Error {
  override name = 'BackupError';
}
