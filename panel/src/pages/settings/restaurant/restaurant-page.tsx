import { useQuery } from '@tanstack/react-query';
import { restaurantQuery } from '../../../api/restaurants/restaurant.ts';
import { Badge } from '../../../parts/orders/badge.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { SkeletonRows } from '../../../ui/content/skeleton.tsx';
import { restaurantTexts } from '../../../texts/restaurants/restaurant.ts';
import { GeneralCard } from './general-card.tsx';
import { HoursCard } from './hours-card.tsx';
import { PlaceCard } from './place-card.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { TakingCard } from './taking-card.tsx';

export function RestaurantPage() {
  const restaurant = useQuery(restaurantQuery);
  return (
    <SettingsFrame
      title={restaurantTexts.title}
      description={restaurantTexts.description}
      mark={restaurant.data !== undefined && <OpenMark isOpen={restaurant.data.isOpenNow} />}
    >
      {restaurant.isPending && (
        <Card isFlush>
          <SkeletonRows count={5} />
        </Card>
      )}
      {restaurant.isError && restaurant.data === undefined && (
        <Card>
          <ErrorState error={restaurant.error} onRetry={() => void restaurant.refetch()} />
        </Card>
      )}
      {restaurant.data !== undefined && (
        <>
          <GeneralCard restaurant={restaurant.data} />
          <PlaceCard restaurant={restaurant.data} />
          <HoursCard restaurant={restaurant.data} />
          <TakingCard restaurant={restaurant.data} />
        </>
      )}
    </SettingsFrame>
  );
}

function OpenMark({ isOpen }: { isOpen: boolean }) {
  return <Badge tone={isOpen ? 'good' : 'neutral'}>{isOpen ? restaurantTexts.open : restaurantTexts.closed}</Badge>;
}
