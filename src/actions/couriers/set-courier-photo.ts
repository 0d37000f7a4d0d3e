import type { Scope } from '../../domain/people/scope.ts';
import { refuse, refused, refuseWith, type Refused } from '../../domain/refusals.ts';
import type { Platform } from '../../platform.ts';
import { deletePhoto, savePhoto, type PhotoType } from '../../store/couriers/photos.ts';
import type { Database } from '../../store/database/database.ts';
import { NOT_FOUND } from '../administration.ts';
import { findOwnCourier } from './own-courier.ts';

/** The most that fits into a request in base64. */
export const MAX_PHOTO_BYTES = 190_000;

export interface SetCourierPhotoRequest {
  courierId: string;
  scope: Scope;
  /** Null removes the photo. */
  content: Buffer | null;
}

export async function setCourierPhoto(
  deps: Pick<Platform, 'clock'> & { db: Database },
  { courierId, scope, content }: SetCourierPhotoRequest,
): Promise<{ kind: 'changed' } | Refused> {
  const mediaType = content === null ? undefined : sniffPhotoType(content);
  if (content !== null && content.length > MAX_PHOTO_BYTES) {
    return refused(refuseWith('COURIER_008', { bytes: MAX_PHOTO_BYTES }));
  }
  if (content !== null && mediaType === undefined) return refused(refuse('COURIER_009'));
  return deps.db.transaction(async (tx) => {
    if ((await findOwnCourier(tx, courierId, scope)) === undefined) return NOT_FOUND;
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
