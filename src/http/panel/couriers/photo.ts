import { Readable } from 'node:stream';
import { refuse, refused } from '../../../domain/refusals.ts';
import { findPhoto } from '../../../store/couriers/photos.ts';
import type { PanelDeps } from '../route.ts';

/** Served only as an image: the content type was detected from the first bytes when the photo was saved. */
export async function showPhoto({ db }: PanelDeps, courierId: string) {
  const photo = await findPhoto(db, courierId);
  if (photo === undefined) return refused(refuse('PANEL_001'));
  const headers = { 'content-type': photo.mediaType, 'cache-control': 'private, no-cache' };
  return { kind: 'stream' as const, stream: Readable.from([photo.content]), headers };
}
