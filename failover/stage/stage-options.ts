// What an installation on the cluster consists of.
import type { FakeTime } from '../../harness/clocks/fake-time.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Program } from './nodes.ts';

export interface StageOptions {
  cluster: Cluster;
  /** The name of its database. */
  name: string;
  seed: number;
  ordersPerSecond: number;
  program: Program;
  /** Settings of each session of the nodes, for controls: as in `options=-c name=value`. */
  sessionSettings?: Record<string, string>;
  /** Further settings of the nodes, for controls. */
  nodeSettings?: Record<string, string>;
  /** Run on the new database before the nodes start, for controls. */
  statements?: readonly string[];
  /** Loaded into the processes of one node. */
  fakeTime?: FakeTime;
}
