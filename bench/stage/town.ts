// Many restaurants with separate endpoint hostnames, so that the service treats their endpoints as unrelated.
import type { Child } from '../processes/child.ts';
import type { BenchRestaurant, NodeCommands } from '../processes/node-process.ts';

export interface TownRestaurant extends BenchRestaurant {
  hostname: string;
}

/** Names under localhost need no name server; one certificate for `*.<kind>.localhost` covers all of a kind. */
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

/** The secrets for a receiver that serves all of these restaurants. */
export function secretsOf(town: readonly TownRestaurant[]): { secret: string; secrets: Map<string, string> } {
  return { secret: '', secrets: new Map(town.map(({ hostname, secret }) => [hostname, secret])) };
}
