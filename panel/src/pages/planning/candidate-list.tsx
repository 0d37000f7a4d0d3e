// Candidate couriers for an order, best first: for the restaurant's assignment and the operator's move.
import { useQuery } from '@tanstack/react-query';
import { Bike, SearchX, TriangleAlert } from 'lucide-react';
import { Fragment, useDeferredValue, useId, useState } from 'react';
import type { CandidateView } from '../../../../src/contract/panel/planning/candidates.ts';
import { MINUTE_MS } from '../../../../src/domain/time.ts';
import { candidatesQuery, type Chooser } from '../../api/planning/planning.ts';
import { Badge } from '../../parts/orders/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { classes } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/content/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { SearchInput } from '../../ui/forms/search-input.tsx';
import { SkeletonRows } from '../../ui/content/skeleton.tsx';
import { formatDuration } from '../../ui/time/time-words.ts';
import { ZonedTime } from '../../ui/time/times.tsx';
import { candidateTexts } from '../../texts/planning/planning.ts';
import { describeBand, describeWork, listWarnings, roundMinutes } from './candidate-words.ts';

export interface CandidateListProps {
  orderId: string;
  chooser: Chooser;
  chosen: CandidateView | null;
  onChoose: (courier: CandidateView) => void;
}

/** Up to this many, scanning the list is faster than searching by name. */
const FEW = 8;

export function CandidateList({ orderId, chooser, chosen, onChoose }: CandidateListProps) {
  const [text, setText] = useState('');
  const q = useDeferredValue(text.trim());
  const list = useQuery(candidatesQuery(orderId, chooser, q));
  if (list.isPending) return <SkeletonRows count={4} />;
  if (list.isLoadingError) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  const { couriers, isCut, gap } = list.data;
  return (
    <div className="flex flex-col gap-3">
      {(isCut || text !== '' || couriers.length > FEW) && (
        <SearchInput
          label={candidateTexts.search}
          placeholder={candidateTexts.searchHint}
          value={text}
          onChange={setText}
        />
      )}
      {gap !== null && <Banner tone="info">{candidateTexts.gaps[gap]}</Banner>}
      {couriers.length === 0 && <Nobody isSought={q !== ''} />}
      <fieldset className="flex max-h-[38dvh] sm:max-h-[50dvh] flex-col gap-2 overflow-y-auto p-0.5">
        <legend className="sr-only">{candidateTexts.legend}</legend>
        {couriers.map((courier) => (
          <CandidateRow
            key={courier.id}
            courier={courier}
            isChosen={courier.id === chosen?.id}
            onChoose={() => onChoose(courier)}
          />
        ))}
      </fieldset>
      {isCut && q === '' && <p className="text-sm text-ink-faint">{candidateTexts.cut}</p>}
      {couriers.some(({ rough }) => rough !== null) && (
        <p className="text-sm text-ink-faint">{candidateTexts.roughHint}</p>
      )}
    </div>
  );
}

function Nobody({ isSought }: { isSought: boolean }) {
  if (isSought) return <EmptyState icon={<SearchX />} title={candidateTexts.notFound} />;
  return (
    <EmptyState icon={<Bike />} title={candidateTexts.none}>
      {candidateTexts.noneHint}
    </EmptyState>
  );
}

/** Lines break between facts, never within "2–5 km". */
function Work({ courier }: { courier: CandidateView }) {
  return (
    <p className="text-sm text-ink-soft tabular">
      {describeWork(courier).map((fact, index) => (
        <Fragment key={fact}>
          {index > 0 && ' · '}
          <span className="whitespace-nowrap">{fact}</span>
        </Fragment>
      ))}
    </p>
  );
}

interface CandidateRowProps {
  courier: CandidateView;
  isChosen: boolean;
  onChoose: () => void;
}

function CandidateRow({ courier, isChosen, onChoose }: CandidateRowProps) {
  const reasonId = useId();
  const { name, isOwn, bar, figures, rough } = courier;
  const warnings = listWarnings(courier);
  return (
    <label
      className={classes(
        'flex gap-3 rounded-md border px-3 py-2.5',
        bar === null ? 'cursor-pointer hover:bg-hover has-checked:border-ink' : 'bg-sunken/50',
      )}
    >
      <input
        type="radio"
        name="courier"
        className="mt-1 size-4 shrink-0 accent-ink"
        aria-label={name}
        aria-describedby={reasonId}
        disabled={bar !== null}
        checked={isChosen}
        onChange={onChoose}
      />
      <div id={reasonId} className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <span className="flex min-w-0 items-center gap-2 font-medium break-words">
            {name}
            {!isOwn && <Badge>{candidateTexts.pool}</Badge>}
          </span>
          {figures !== null && <Figures figures={figures} />}
          {rough?.figures && <RoughFigures figures={rough.figures} />}
        </div>
        <Work courier={courier} />
        {warnings.map((warning) => (
          <p key={warning} className="flex items-start gap-1.5 text-sm text-warn">
            <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            {warning}
          </p>
        ))}
        {bar !== null && <p className="text-sm text-ink-soft">{candidateTexts.bars[bar]}</p>}
      </div>
    </label>
  );
}

function Figures({ figures }: { figures: NonNullable<CandidateView['figures']> }) {
  const late = roundMinutes(figures.lateSeconds);
  return (
    <span className="flex flex-wrap items-baseline gap-x-2.5 text-sm">
      <span>
        <span className="text-ink-faint">{candidateTexts.detour} </span>
        <span className="font-medium">{candidateTexts.minutesMore(roundMinutes(figures.detourSeconds))}</span>
      </span>
      <span>
        <span className="text-ink-faint">{candidateTexts.arrives} </span>
        <ZonedTime at={figures.dropoffAt} detail="time" />
      </span>
      <span className={late > 0 ? 'font-medium text-danger' : 'text-good'}>
        {late > 0 ? candidateTexts.late(formatDuration(late * MINUTE_MS)) : candidateTexts.inTime}
      </span>
    </span>
  );
}

type RoughValues = NonNullable<NonNullable<CandidateView['rough']>['figures']>;

function RoughFigures({ figures: { pickupMinutes, detourMinutes, lateMinutes } }: { figures: RoughValues }) {
  return (
    <span className="flex flex-wrap items-baseline gap-x-2.5 text-sm">
      <span>
        <span className="text-ink-faint">{candidateTexts.detour} </span>
        <span className="font-medium">{candidateTexts.detourMinutes(describeBand(detourMinutes))}</span>
      </span>
      <span>
        <span className="text-ink-faint">{candidateTexts.pickup} </span>
        {candidateTexts.inMinutes(describeBand(pickupMinutes))}
      </span>
      <span className={lateMinutes === null ? 'text-good' : 'font-medium text-danger'}>
        {lateMinutes === null ? candidateTexts.inTime : candidateTexts.lateMinutes(describeBand(lateMinutes))}
      </span>
    </span>
  );
}
