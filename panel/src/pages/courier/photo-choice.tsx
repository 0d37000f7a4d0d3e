import { CircleUserRound } from 'lucide-react';
import { useState } from 'react';
import { toApiError } from '../../api/api-error.ts';
import { ownPhotoUrl, useSetPhoto } from '../../api/couriers/courier.ts';
import { Banner } from '../../ui/banner.tsx';
import { shrinkPhoto } from './shrink-photo.ts';
import { courierTexts } from '../../texts/couriers/courier.ts';
import { BigButton, bigButtonClasses } from './controls/big-button.tsx';

/** The photo by which restaurants recognize the courier. */
export function PhotoChoice({ photoAt, disabledReason }: { photoAt: string | null; disabledReason: string | null }) {
  const save = useSetPhoto();
  const [isUnreadable, setIsUnreadable] = useState(false);
  const choose = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const content = await shrinkPhoto(file).catch(() => undefined);
    setIsUnreadable(content === undefined);
    if (content !== undefined) save.mutate(content);
  };
  return (
    <section className="flex flex-col gap-3">
      <div className="flex items-center gap-4">
        {photoAt === null ? (
          <CircleUserRound aria-hidden className="size-18 shrink-0 text-ink-faint" strokeWidth={1.25} />
        ) : (
          // The time in the URL prevents the browser from showing a cached older photo.
          <img src={ownPhotoUrl(photoAt)} alt="" className="size-18 shrink-0 rounded-full object-cover" />
        )}
        <div>
          <h3 className="text-lg font-bold">{courierTexts.photo}</h3>
          <p className="text-base text-ink-soft">{courierTexts.photoText}</p>
        </div>
      </div>
      {disabledReason === null ? (
        <label className={`${bigButtonClasses()} has-focus-visible:outline-2 has-focus-visible:outline-accent`}>
          {photoAt === null ? courierTexts.choosePhoto : courierTexts.changePhoto}
          <input
            type="file"
            accept="image/*"
            className="sr-only"
            onChange={(event) => {
              void choose(event.target.files?.[0]);
              event.target.value = '';
            }}
          />
        </label>
      ) : (
        <BigButton disabledReason={disabledReason}>{courierTexts.choosePhoto}</BigButton>
      )}
      {photoAt !== null && disabledReason === null && (
        <BigButton isBusy={save.isPending} onClick={() => save.mutate(null)}>
          {courierTexts.removePhoto}
        </BigButton>
      )}
      {isUnreadable && <Banner tone="danger">{courierTexts.photoUnreadable}</Banner>}
      {save.isError && <Banner tone="danger">{toApiError(save.error).message}</Banner>}
    </section>
  );
}
