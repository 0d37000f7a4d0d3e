// Many restaurants, each with an endpoint under a name of its own, so that to the service they are strangers.
import type { Child } from '../processes/child.ts';
import type { BenchRestaurant, NodeCommands } from '../processes/node-process.ts';

export interface TownRestaurant extends BenchRestaurant {
  hostname: string;
}

/** Names below localhost need no name server; one certificate for `*.<kind>.localhost` is good for all of a kind. */
export function hostnamesOf(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `restaurant-${index}.${kind}.localhost`);
}

export function certificateNameOf(kind: string): string {
  return `*.${kind}.localhost`;
}

export async function settleTown(node: Child<NodeCommands>, urls: readonly string[]): Promise<TownRestaurant[]> {
  const town: TownRestaurant[] = [];
  for (const webhookUrl of urls) {
    const restaurant = await node.ask('addRestaurant', { isAutoApproving: false, webhookUrl });
    town.push({ ...restaurant, hostname: new URL(webhookUrl).hostname });
  }
  return town;
}

/** What a receiver of them all has to know. */
export function secretsOf(town: readonly TownRestaurant[]): { secret: string; secrets: Map<string, string> } {
  return { secret: '', secrets: new Map(town.map(({ hostname, secret }) => [hostname, secret])) };
}
