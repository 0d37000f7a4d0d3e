import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RestaurantEntry } from '../../../../src/contract/panel/operator/restaurants.ts';
import { restaurantsQuery } from '../../api/operator/restaurants.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { operatorTexts } from '../../texts/operator/overview.ts';
import { couriersTexts } from '../../texts/operator/couriers.ts';

export interface RestaurantSelectProps {
  /** Label of the empty option. */
  noneLabel: string;
  value: string;
  /** The kind of id in `value`. */
  by: 'id' | 'restaurantId';
  /** Shown even if the search does not find it. */
  current?: { value: string; label: string } | undefined;
  problem?: string | undefined;
  onChange: (value: string) => void;
}

/** Selects a restaurant; with more than one page of them, typing narrows the list. */
export function RestaurantSelect({ noneLabel, value, by, current, problem, onChange }: RestaurantSelectProps) {
  const [text, setText] = useState('');
  const list = useInfiniteQuery(restaurantsQuery(text.trim()));
  const found = list.data?.pages.flatMap((page) => page.restaurants) ?? [];
  const options = found.map((restaurant) => ({ value: restaurant[by], label: nameOf(restaurant) }));
  const [chosen, setChosen] = useState(current);
  const isMissing = chosen !== undefined && options.every((option) => option.value !== chosen.value);
  const isLong = list.hasNextPage || text !== '';
  return (
    <div className="flex flex-col gap-3">
      {isLong && (
        <Field label={couriersTexts.restaurantFilter} value={text} onChange={(event) => setText(event.target.value)} />
      )}
      <Select
        label={operatorTexts.restaurant}
        options={[{ value: '', label: noneLabel }, ...(isMissing ? [chosen] : []), ...options]}
        value={value}
        problem={problem}
        onChange={(picked) => {
          setChosen(options.find((option) => option.value === picked) ?? chosen);
          onChange(picked);
        }}
      />
    </div>
  );
}

function nameOf({ name, restaurantId }: RestaurantEntry): string {
  return `${name} (${restaurantId})`;
}
