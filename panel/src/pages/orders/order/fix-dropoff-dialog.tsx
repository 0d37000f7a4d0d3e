import { ArrowLeftRight } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { OrderRequest } from '../../../../../src/contract/integrator/orders/schema.ts';
import { useFixDropoff } from '../../../api/orders/orders.ts';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { Skeleton } from '../../../ui/content/skeleton.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { commonTexts } from '../../../texts/everywhere.ts';
import { orderPageTexts } from '../../../texts/orders/order-page.ts';
import { readCoordinates, showDegrees, type Coordinates } from '../../../ui/forms/coordinates.ts';

const PlaceMap = lazy(async () => {
  const { PlaceMap: Map } = await import('../../../map/place-map.tsx');
  return { default: Map };
});

export interface FixDropoffDialogProps {
  orderId: string;
  content: OrderRequest | undefined;
  onClose: () => void;
}

export function FixDropoffDialog({ orderId, content, onClose }: FixDropoffDialogProps) {
  const dropoff = content?.dropoff;
  const [line1, setLine1] = useState(dropoff?.address?.line1 ?? dropoff?.address?.formatted ?? '');
  const [latitude, setLatitude] = useState(toText(dropoff?.location?.latitude));
  const [longitude, setLongitude] = useState(toText(dropoff?.location?.longitude));
  const [isChecked, setIsChecked] = useState(false);
  const fix = useFixDropoff(orderId);
  const place = readCoordinates(latitude, longitude);
  const move = (to: Coordinates): void => {
    setLatitude(showDegrees(to.latitude));
    setLongitude(showDegrees(to.longitude));
  };
  const save = (): void => {
    setIsChecked(true);
    if (place === undefined) return;
    const address = { ...dropoff?.address, line1 };
    fix.mutate(
      { location: place, ...(line1 !== '' && line1 !== dropoff?.address?.formatted && { address }) },
      {
        onSuccess: () => {
          showToast(orderPageTexts.fixed);
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title={orderPageTexts.fixTitle}
      description={orderPageTexts.fixText}
      isWide
      submitLabel={commonTexts.save}
      isBusy={fix.isPending}
      problem={fix.error?.message}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label={orderPageTexts.addressLine} value={line1} onChange={(event) => setLine1(event.target.value)} />
      <div className="grid grid-cols-[1fr_auto_1fr] items-start gap-3">
        <Field
          label={orderPageTexts.latitude}
          hint={orderPageTexts.latitudeHint}
          inputMode="decimal"
          value={latitude}
          problem={isChecked && place === undefined ? orderPageTexts.coordinatesProblem : undefined}
          onChange={(event) => setLatitude(event.target.value)}
        />
        <Button
          size="icon"
          className="mt-6.5"
          aria-label={orderPageTexts.swap}
          title={orderPageTexts.swap}
          icon={<ArrowLeftRight aria-hidden className="size-4" />}
          onClick={() => {
            setLatitude(longitude);
            setLongitude(latitude);
          }}
        />
        <Field
          label={orderPageTexts.longitude}
          hint={orderPageTexts.longitudeHint}
          inputMode="decimal"
          value={longitude}
          onChange={(event) => setLongitude(event.target.value)}
        />
      </div>
      <Suspense fallback={<Skeleton className="h-64" />}>
        <PlaceMap
          label={orderPageTexts.map}
          hint={orderPageTexts.mapHint}
          place={place}
          reference={content?.pickup?.location}
          onMove={move}
        />
      </Suspense>
    </FormDialog>
  );
}

function toText(degrees: number | undefined): string {
  return degrees === undefined ? '' : showDegrees(degrees);
}
