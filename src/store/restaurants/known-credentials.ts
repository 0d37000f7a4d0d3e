// Separates unknown from known credentials, many in one lookup, so that guessing attempts cost almost nothing.
import type { Queryable } from '../database/database.ts';

/** What a caller presents: the keyed hash of an API key in hex, or the user name of Basic credentials. */
export type CredentialName = { kind: 'api_key'; keyHash: string } | { kind: 'basic'; username: string };

const LIST_KNOWN = `
  select 'api_key' as kind, encode(key_hash, 'hex') as name from api_keys
  where key_hash = any(select decode(hash, 'hex') from unnest($1::text[]) as h(hash)) and revoked_at is null
  union all
  select 'basic', username from basic_credentials
  where username = any($2::text[]) and revoked_at is null`;

/** One result per name, in order. */
export async function areCredentialsKnown(db: Queryable, names: readonly CredentialName[]): Promise<boolean[]> {
  const keyHashes = names.flatMap((name) => (name.kind === 'api_key' ? [name.keyHash] : []));
  const usernames = names.flatMap((name) => (name.kind === 'basic' ? [name.username] : []));
  const rows = await db.query<{ kind: string; name: string }>({ name: 'list_known_credentials', text: LIST_KNOWN }, [
    keyHashes,
    usernames,
  ]);
  const known = new Set(rows.map((row) => `${row.kind} ${row.name}`));
  return names.map((name) => known.has(`${name.kind} ${name.kind === 'api_key' ? name.keyHash : name.username}`));
}
