// The nodes: the real program with the settings of a real installation, each behind a port of its own that HAProxy knows.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serveFrom, type ServedNode } from '../../harness/nodes/served-node.ts';
import type { NodeBalancer } from '../cluster/balancers.ts';
import { until } from '../cluster/until.ts';

/** `direct` names all members in its DATABASE_URL; the others reach the primary through HAProxy. */
export const NODE_NAMES = ['direct', 'balanced', 'behind-a-proxy'] as const;

/** A place for a node: its successors listen on the same port. */
interface Slot {
  name: string;
  port: number;
  settings: Record<string, string>;
  logFile: string;
  node: ServedNode | undefined;
  /** What runs there, or ran there last. */
  program: Program;
}

export interface Program {
  main: string;
  /** It does not drain when it is stopped, and its schema is older. */
  isPrevious: boolean;
  /** Where this version needs others. */
  settings?: Record<string, string>;
}

export interface NodePlace {
  name: string;
  port: number;
  settings: Record<string, string>;
  logFile: string;
}

const READY = { limitMs: 60_000, pollMs: 100 };
/** HAProxy finishes what it has sent to a node that gets no more. */
const DRAINED_MS = 1_500;
const ANSWER_LIMIT_MS = 3_000;

export class Nodes {
  /** Nodes that ended without being stopped or killed. */
  readonly crashes: string[] = [];
  readonly #slots: readonly Slot[];
  readonly #balancer: NodeBalancer;

  constructor(places: readonly NodePlace[], balancer: NodeBalancer, program: Program) {
    this.#slots = places.map((place) => ({ ...place, node: undefined, program }));
    this.#balancer = balancer;
  }

  settingsOf(name: string): Record<string, string> {
    const { settings, program } = this.#slotOf(name);
    return { ...settings, ...program.settings };
  }

  /** By default, the program that ran there before. */
  async start(name: string, program?: Program): Promise<void> {
    const slot = this.#slotOf(name);
    const wasPrevious = slot.program.isPrevious;
    slot.program = program ?? slot.program;
    const dataDir = slot.settings['WAYBILL_DATA_DIR'];
    if (dataDir !== undefined) await mkdir(path.dirname(dataDir), { recursive: true });
    slot.node = await serveFrom(
      slot.program.main,
      { ...this.settingsOf(name), WAYBILL_PORT: String(slot.port) },
      slot.logFile,
    );
    if (wasPrevious) await this.#balancer.admit(name);
    void this.#noticeCrash(slot, slot.node);
    await until(`node ${name} is ready`, READY, () => isReady(slot));
  }

  async #noticeCrash(slot: Slot, node: ServedNode): Promise<void> {
    await node.ended;
    if (slot.node !== node) return;
    slot.node = undefined;
    this.crashes.push(`node ${slot.name} ended without being stopped: ${node.errors.at(-1) ?? 'no error in its log'}`);
  }

  /** As an operator does it. */
  async stop(name: string): Promise<void> {
    const slot = this.#slotOf(name);
    if (slot.program.isPrevious) {
      await this.#balancer.drain(name);
      await pause(DRAINED_MS);
    }
    const { node } = slot;
    slot.node = undefined;
    await node?.stop();
  }

  async kill(name: string): Promise<void> {
    const slot = this.#slotOf(name);
    const { node } = slot;
    slot.node = undefined;
    await node?.stop('SIGKILL');
  }

  /** Those that should be running. */
  get names(): string[] {
    return this.#slots.filter(({ node }) => node !== undefined).map(({ name }) => name);
  }

  async areReady(): Promise<boolean> {
    const started = this.#slots.filter(({ node }) => node !== undefined);
    return (await Promise.all(started.map(isReady))).every(Boolean);
  }

  async killAll(): Promise<void> {
    await Promise.all(this.names.map((name) => this.kill(name)));
  }

  #slotOf(name: string): Slot {
    const slot = this.#slots.find((candidate) => candidate.name === name);
    if (slot === undefined) throw new Error(`There is no node ${name}`);
    return slot;
  }
}

function isReady({ port }: Slot): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    () => false,
  );
}
