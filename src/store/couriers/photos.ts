import type { Instant } from '../../domain/time.ts';
import type { Queryable } from '../database/database.ts';
import { toTimestamp } from '../database/timestamps.ts';

export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const;
export type PhotoType = (typeof PHOTO_TYPES)[number];

export interface CourierPhoto {
  mediaType: PhotoType;
  content: Buffer;
}

export async function savePhoto(
  tx: Queryable,
  courierId: string,
  photo: CourierPhoto & { changedAt: Instant },
): Promise<void> {
  await tx.query(
    `insert into courier_photos (courier_id, media_type, content, changed_at) values ($1, $2, $3, $4)
     on conflict (courier_id) do update
     set media_type = excluded.media_type, content = excluded.content, changed_at = excluded.changed_at`,
    [courierId, photo.mediaType, photo.content, toTimestamp(photo.changedAt)],
  );
}

export async function deletePhoto(tx: Queryable, courierId: string): Promise<void> {
  await tx.query('delete from courier_photos where courier_id = $1', [courierId]);
}

export async function findPhoto(db: Queryable, courierId: string): Promise<CourierPhoto | undefined> {
  const [row] = await db.query<CourierPhoto>('select media_type, content from courier_photos where courier_id = $1', [
    courierId,
  ]);
  return row;
}

/** When the photo was last changed; null if there is none. */
export async function findPhotoTime(db: Queryable, courierId: string): Promise<Instant | null> {
  const [row] = await db.query<{ changedAt: Instant }>('select changed_at from courier_photos where courier_id = $1', [
    courierId,
  ]);
  return row?.changedAt ?? null;
}
