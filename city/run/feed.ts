// Reads the events feed of every restaurant to its end, as an integrator would.
import type { EventsAnswer } from '../../src/contract/integrator/answers.ts';
import { insist } from './waits.ts';
import type { StagedRestaurant } from './world.ts';

export interface FeedEntry {
  /** The integrator's id of the restaurant, which is also the name of its receiver. */
  receiver: string;
  /** Serialized like the webhook's body. */
  body: string;
}

const PAGE = 100;

export async function readFeeds(address: string, restaurants: readonly StagedRestaurant[]): Promise<FeedEntry[]> {
  const feeds: FeedEntry[] = [];
  for (const restaurant of restaurants) feeds.push(...(await readFeed(address, restaurant)));
  return feeds;
}

async function readFeed(address: string, { restaurantId, apiKey }: StagedRestaurant): Promise<FeedEntry[]> {
  const entries: FeedEntry[] = [];
  let after = '';
  for (;;) {
    const url = `${address}/webhook/third-party/events?limit=${PAGE}${after}`;
    const answer = await insist(() => fetch(url, { headers: { 'x-api-key': apiKey } }));
    if (answer.status !== 200) throw new Error(`The feed of ${restaurantId} answered ${answer.status}`);
    const page = (await answer.json()) as EventsAnswer;
    entries.push(...page.events.map(({ event }) => ({ receiver: restaurantId, body: JSON.stringify(event) })));
    if (!page.hasMore) return entries;
    after = `&after=${page.nextCursor}`;
  }
}
