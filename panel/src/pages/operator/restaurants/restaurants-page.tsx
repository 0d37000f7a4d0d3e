import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { LogIn, MoreHorizontal, Plus, Store } from 'lucide-react';
import { useState } from 'react';
import type { RestaurantEntry } from '../../../../../src/contract/panel/operator/restaurants.ts';
import { formatCount } from '../../../../../src/domain/counts.ts';
import { restaurantsQuery } from '../../../api/operator/restaurants.ts';
import { Badge } from '../../../parts/orders/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/content/empty-state.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { Page } from '../../../ui/content/page.tsx';
import { SearchInput } from '../../../ui/forms/search-input.tsx';
import { Table, type Column } from '../../../ui/content/table.tsx';
import { operatorTexts } from '../../../texts/operator/overview.ts';
import { restaurantsTexts } from '../../../texts/operator/restaurants.ts';
import { AddRestaurantDialog } from './add-dialog.tsx';
import { ListCard } from '../list-card.tsx';
import { RestaurantDialog, type RestaurantAct } from './dialogs.tsx';

export function RestaurantsPage() {
  const { q = '' } = useSearch({ from: '/app/operator/restaurants' });
  const navigate = useNavigate();
  const list = useInfiniteQuery(restaurantsQuery(q));
  const [isAdding, setIsAdding] = useState(false);
  const [act, setAct] = useState<RestaurantAct | null>(null);
  const rows = list.data?.pages.flatMap((page) => page.restaurants) ?? [];
  return (
    <Page
      title={restaurantsTexts.title}
      description={restaurantsTexts.description}
      actions={
        <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setIsAdding(true)}>
          {restaurantsTexts.add}
        </Button>
      }
    >
      <SearchInput
        label={restaurantsTexts.search}
        value={q}
        onChange={(text) => void navigate({ to: '/operator/restaurants', search: { q: text }, replace: true })}
        className="w-full sm:max-w-sm"
      />
      <ListCard query={list} isEmpty={rows.length === 0} empty={<Nothing isSearch={q !== ''} />}>
        <Table caption={restaurantsTexts.title} columns={columnsFor(setAct)} rows={rows} keyOf={({ id }) => id} />
      </ListCard>
      {isAdding && <AddRestaurantDialog onClose={() => setIsAdding(false)} />}
      {act !== null && <RestaurantDialog act={act} onClose={() => setAct(null)} />}
    </Page>
  );
}

function Nothing({ isSearch }: { isSearch: boolean }) {
  return isSearch ? (
    <EmptyState icon={<Store />} title={operatorTexts.nothingFound}>
      {operatorTexts.nothingFoundHint}
    </EmptyState>
  ) : (
    <EmptyState icon={<Store />} title={restaurantsTexts.empty}>
      {restaurantsTexts.emptyText}
    </EmptyState>
  );
}

function columnsFor(onAct: (act: RestaurantAct) => void): Column<RestaurantEntry>[] {
  return [
    {
      header: restaurantsTexts.name,
      isTitle: true,
      cell: ({ name, restaurantId }) => (
        <span className="flex min-w-0 flex-col">
          <span className="font-medium">{name}</span>
          <span className="truncate font-mono text-sm text-ink-faint">{restaurantId}</span>
        </span>
      ),
    },
    { header: restaurantsTexts.liveOrders, align: 'right', cell: ({ liveOrders }) => formatCount(liveOrders) },
    {
      header: restaurantsTexts.integration,
      cell: ({ integrationEnabled, failingEndpoints }) => (
        <span className="flex flex-wrap justify-end gap-1.5 sm:justify-start">
          <Badge tone={integrationEnabled ? 'good' : 'neutral'}>
            {integrationEnabled ? restaurantsTexts.enabled : restaurantsTexts.disabled}
          </Badge>
          {failingEndpoints > 0 && <Badge tone="danger">{restaurantsTexts.failing(failingEndpoints)}</Badge>}
        </span>
      ),
    },
    {
      header: restaurantsTexts.rateLimit,
      cell: ({ rateLimitPerMinute }) => (
        <span className="tabular">{restaurantsTexts.perMinute(rateLimitPerMinute)}</span>
      ),
    },
    { header: restaurantsTexts.timeZone, cell: ({ timeZone }) => timeZone },
    {
      header: operatorTexts.actions,
      isHeaderHidden: true,
      align: 'right',
      cell: (restaurant) => <RowActions restaurant={restaurant} onAct={onAct} />,
    },
  ];
}

function RowActions({ restaurant, onAct }: { restaurant: RestaurantEntry; onAct: (act: RestaurantAct) => void }) {
  return (
    <span className="flex items-center justify-end gap-1">
      <Button
        size="small"
        icon={<LogIn aria-hidden className="size-4" />}
        onClick={() => onAct({ kind: 'signIn', restaurant })}
      >
        {operatorTexts.signInAs}
        <span className="sr-only">{restaurant.name}</span>
      </Button>
      <Menu
        label={operatorTexts.actions}
        trigger={
          <Button
            look="quiet"
            size="icon"
            aria-label={restaurantsTexts.actionsFor(restaurant.name)}
            icon={<MoreHorizontal aria-hidden className="size-4" />}
          />
        }
      >
        <MenuItem onSelect={() => onAct({ kind: 'rateLimit', restaurant })}>
          {restaurantsTexts.changeRateLimit}
        </MenuItem>
        <MenuItem isDangerous={restaurant.integrationEnabled} onSelect={() => onAct({ kind: 'switch', restaurant })}>
          {restaurant.integrationEnabled ? restaurantsTexts.disable : restaurantsTexts.enable}
        </MenuItem>
      </Menu>
    </span>
  );
}
