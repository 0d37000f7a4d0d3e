import type { Platform } from '../../platform.ts';
import { deletePhoto, savePhoto, type PhotoType } from '../../store/couriers/photos.ts';
import { findCourier } from '../../store/couriers/couriers.ts';
import type { Database } from '../../store/database/database.ts';
import { refused, type Refused } from '../administration.ts';

/** The most that fits into a request in base64. */
export const MAX_PHOTO_BYTES = 190_000;

/** Null removes the photo. */
export async function setCourierPhoto(
  deps: Pick<Platform, 'clock'> & { db: Database },
  courierId: string,
  content: Buffer | null,
): Promise<{ kind: 'changed' } | Refused> {
  const mediaType = content === null ? undefined : sniffPhotoType(content);
  if (content !== null && content.length > MAX_PHOTO_BYTES) {
    return refused(`The photo must be at most ${MAX_PHOTO_BYTES} bytes.`);
  }
  if (content !== null && mediaType === undefined) return refused('The photo must be a JPEG, PNG or WebP image.');
  return deps.db.transaction(async (tx) => {
    if ((await findCourier(tx, courierId)) === undefined) return refused('No such courier.');
    if (content === null || mediaType === undefined) await deletePhoto(tx, courierId);
    else await savePhoto(tx, courierId, { mediaType, content, changedAt: deps.clock.now() });
    return { kind: 'changed' };
  });
}

/** Detected from the first bytes, because a browser may ignore the file's name. */
export function sniffPhotoType(content: Buffer): PhotoType | undefined {
  const starts = (...bytes: number[]) => bytes.every((byte, index) => content[index] === byte);
  if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  const isRiff = content.toString('latin1', 0, 4) === 'RIFF';
  return isRiff && content.toString('latin1', 8, 12) === 'WEBP' ? 'image/webp' : undefined;
}
