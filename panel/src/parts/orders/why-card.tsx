// Explains an order's assignment: this courier and the cost of the next best, or why it waits and until when.
import type { ReactNode } from 'react';
import { Check, Hourglass, MessageCircleQuestion, Route } from 'lucide-react';
import type { ChoiceView, WhyView } from '../../../../src/contract/panel/planning/explanation.ts';
import { whyTexts } from '../../texts/planning/why.ts';
import { ZonedTime } from '../../ui/time/times.tsx';

export interface WhyCardProps {
  /** Null before the first plan. */
  why: WhyView | null;
}

export function WhyCard({ why }: WhyCardProps) {
  if (why === null) {
    return (
      <Reason icon={<Hourglass />} title={whyTexts.nothing}>
        {whyTexts.nothingMeaning}
      </Reason>
    );
  }
  switch (why.kind) {
    case 'accepted':
      return (
        <Reason icon={<Check />} title={whyTexts.accepted(nameOf(why.courier))}>
          <Chosen choice={why.choice} facts={[]} />
          <p>{whyTexts.acceptedMeaning}</p>
        </Reason>
      );
    case 'offered': {
      const until = <ZonedTime key="until" at={why.until} detail="seconds" />;
      return (
        <Reason icon={<MessageCircleQuestion />} title={whyTexts.offered(nameOf(why.courier))}>
          <Chosen choice={why.choice} facts={[[whyTexts.offeredUntil, until]]} />
        </Reason>
      );
    }
    case 'placed':
      return <Placed why={why} />;
    case 'waiting':
      return <Waiting why={why} />;
    default:
      return why satisfies never;
  }
}

/** Why the current courier was chosen, as the plan saw it at the time, with further facts. */
function Chosen({ choice, facts }: { choice: ChoiceView | null; facts: readonly Fact[] }) {
  const known = [...(choice?.by === 'planner' ? listChoiceFacts(choice) : []), ...facts];
  return (
    <>
      {choice !== null && <p>{sayChoice(choice)}</p>}
      {known.length > 0 && <Facts facts={known} />}
    </>
  );
}

type PlannersChoice = Extract<ChoiceView, { by: 'planner' }>;

function sayChoice(choice: ChoiceView): string {
  if (choice.by === 'hand') return whyTexts.chosenByHand;
  return choice.nextBest === null ? whyTexts.chosenAlone : whyTexts.chosen;
}

function listChoiceFacts({ extraCost, nextBest }: PlannersChoice): Fact[] {
  return [
    ...listCost(whyTexts.chosenCost, extraCost),
    ...(nextBest === null ? [] : [[whyTexts.nextBest, describeNextBest(nextBest)] as const]),
  ];
}

/** Empty for a courier that the restaurant does not know. */
function listCost(name: string, seconds: number | null): Fact[] {
  return seconds === null ? [] : [[name, <Cost key="cost" seconds={seconds} />]];
}

function Cost({ seconds }: { seconds: number }) {
  return <span title={whyTexts.costMeaning}>{whyTexts.minutes(toMinutes(seconds))}</span>;
}

function Placed({ why }: { why: Extract<WhyView, { kind: 'placed' }> }) {
  const { nextBest } = why;
  return (
    <Reason icon={<Route />} title={whyTexts.placed(nameOf(why.courier))}>
      <Facts
        facts={[
          ...listCost(whyTexts.cost, why.extraCost),
          [whyTexts.nextBest, nextBest === null ? whyTexts.noNextBest : describeNextBest(nextBest)],
          [whyTexts.offerAt, <ZonedTime key="offer" at={why.offerAt} detail="time" />],
        ]}
      />
    </Reason>
  );
}

function Waiting({ why }: { why: Extract<WhyView, { kind: 'waiting' }> }) {
  const { reason, until, cheapest } = why;
  const isLater = reason === 'NOT_YET';
  const facts: Fact[] = [];
  if (cheapest !== null) {
    const { courier, extraCost } = cheapest;
    const name = nameOf(courier);
    facts.push([whyTexts.cheapest, extraCost === null ? name : whyTexts.atCost(name, toMinutes(extraCost))]);
  }
  if (until !== null) {
    const name = isLater ? whyTexts.plannedFrom : whyTexts.givenUpAt;
    facts.push([name, <ZonedTime key="until" at={until} detail="time" />]);
  }
  return (
    <Reason icon={<Hourglass />} title={whyTexts.waiting}>
      <p>{whyTexts.waits[reason] ?? whyTexts.waitsForSomething}</p>
      {!isLater && <p>{whyTexts.untilChange}</p>}
      {facts.length > 0 && <Facts facts={facts} />}
    </Reason>
  );
}

function Reason({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <div className="flex gap-3">
      <span
        aria-hidden
        className="tint grid size-8 shrink-0 place-items-center rounded-full text-accent [&>svg]:size-4"
      >
        {icon}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        <p className="pt-1 font-medium">{title}</p>
        <div className="flex flex-col gap-1.5 text-sm text-ink-soft">{children}</div>
      </div>
    </div>
  );
}

type Fact = readonly [name: string, value: ReactNode];

function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-faint">{name}</dt>
          <dd className="tabular min-w-0 text-ink">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function nameOf({ name }: { name: string | null }): string {
  return name ?? whyTexts.unnamed;
}

type NextBest = NonNullable<Extract<WhyView, { kind: 'placed' }>['nextBest']>;

function describeNextBest({ courier, extraCost }: NextBest): string {
  if (extraCost === null) return nameOf(courier);
  const minutes = toMinutes(extraCost);
  return minutes === '0' ? whyTexts.asGood(nameOf(courier)) : whyTexts.worse(nameOf(courier), minutes);
}

const SECONDS_A_MINUTE = 60;

/** One decimal below ten minutes, because the next best is often close. */
function toMinutes(seconds: number): string {
  const minutes = seconds / SECONDS_A_MINUTE;
  return minutes < 10 ? String(Number(minutes.toFixed(1))) : minutes.toFixed(0);
}
