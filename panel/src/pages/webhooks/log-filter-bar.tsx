import { useNavigate, useSearch } from '@tanstack/react-router';
import { ATTEMPT_OUTCOMES, WAITING_OUTCOMES } from '../../../../src/contract/panel/webhooks/webhooks.ts';
import { ENDPOINT_KINDS } from '../../../../src/domain/webhooks/events.ts';
import { Button } from '../../ui/button.tsx';
import { PeriodFields } from '../../ui/forms/period-fields.tsx';
import { SearchInput } from '../../ui/forms/search-input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { webhookLogTexts, webhookTexts } from '../../texts/webhooks/webhooks.ts';

const OUTCOMES = [...ATTEMPT_OUTCOMES, ...WAITING_OUTCOMES] as const;

const OUTCOME_OPTIONS = [
  { value: '', label: webhookLogTexts.anyOutcome },
  ...OUTCOMES.map((value) => ({ value, label: webhookLogTexts.outcomes[value] })),
];
const ENDPOINT_OPTIONS = [
  { value: '', label: webhookLogTexts.anyEndpoint },
  ...ENDPOINT_KINDS.map((value) => ({ value, label: webhookTexts.endpoints[value] })),
];

/** The filters are in the URL, so that links open the same list. */
export function LogFilterBar({ hasFilters }: { hasFilters: boolean }) {
  const search = useSearch({ from: '/app/restaurant/webhooks' });
  const navigate = useNavigate();
  const change = (filter: Partial<typeof search>): void =>
    void navigate({ to: '/webhooks', search: { ...search, event: undefined, ...filter }, replace: true });
  const known = (value: string | undefined, options: readonly { value: string }[]): string =>
    options.some((option) => option.value === value) ? (value ?? '') : '';
  return (
    <div className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
      <Select
        label={webhookLogTexts.outcome}
        options={OUTCOME_OPTIONS}
        value={known(search.outcome, OUTCOME_OPTIONS)}
        onChange={(outcome) => change({ outcome })}
      />
      <Select
        label={webhookLogTexts.endpoint}
        options={ENDPOINT_OPTIONS}
        value={known(search.endpoint, ENDPOINT_OPTIONS)}
        onChange={(endpoint) => change({ endpoint })}
      />
      <PeriodFields labels={webhookLogTexts} period={search} onChange={change} />
      <SearchInput
        label={webhookLogTexts.searchOrder}
        value={search.order ?? ''}
        onChange={(order) => change({ order })}
        className="max-sm:col-span-2 sm:w-56"
      />
      {hasFilters && (
        <Button look="quiet" onClick={() => void navigate({ to: '/webhooks', search: {}, replace: true })}>
          {webhookLogTexts.clear}
        </Button>
      )}
    </div>
  );
}
