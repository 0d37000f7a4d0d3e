// The planner's input: orders, couriers and travel times as columns of integers, in seconds from an instant chosen by
// the caller. Order `o` has two stops: `2 * o` is its pickup and `2 * o + 1` its drop-off.

/** Means "no limit": no stop is ever this late. Sums of a few of them still fit into 32 bits. */
export const NEVER = 2 ** 29 - 1;

/** The travel time of a gap in the matrix. It is greater than NEVER, so a leg with it is never feasible. */
export const UNREACHABLE = 2 ** 29;

export const NOBODY = -1;

/** One entry per stop, two per order. */
export interface StopColumns {
  location: Int32Array;
  /** Earliest service time: food ready at a pickup, opening of a window at a drop-off. */
  earliest: Int32Array;
  /** Hard limit: latest service time. NEVER if there is none. */
  latest: Int32Array;
  /** Service time on arrival, before the handover, and after it. Consecutive pickups at one place share it. */
  arriving: Int32Array;
  leaving: Int32Array;
}

/** One entry per order. */
export interface OrderColumns {
  size: Int32Array;
  /** 1 if nothing else may be on board with it, regardless of capacity. */
  alone: Uint8Array;
  /** Earliest possible time at the drop-off; each second after it costs `prices.delay`. */
  earliestDropoff: Int32Array;
  /** Soft limit: lateness costs increasingly more. */
  due: Int32Array;
  leaveOutPrice: Float64Array;
  /** The courier who accepted or carries it; never changed. NOBODY while it is free. */
  pinnedTo: Int32Array;
  /** 1 if the courier in `pinnedTo` has picked it up: only the drop-off remains. */
  carried: Uint8Array;
  /** The announced courier, and the price of choosing another one. */
  announcedTo: Int32Array;
  changePrice: Float64Array;
}

/** One entry per courier. */
export interface CourierColumns {
  location: Int32Array;
  /** When the courier can leave that location. */
  available: Int32Array;
  /** No pickups after this; drop-offs may be later. */
  shiftEnd: Int32Array;
  capacity: Int32Array;
  /** Which matrix of `travel` applies. */
  profile: Int32Array;
  /** Price of giving this courier one more order, for pay and for fairness. */
  orderPrice: Float64Array;
  /** Where and by when the route must end; NOBODY if it ends at its last stop. */
  endLocation: Int32Array;
  endLatest: Int32Array;
}

export interface Prices {
  /** Per second of travel. */
  travel: number;
  /** Per second that a courier who is not idle waits at a pickup. */
  waiting: number;
  /** Per second from the best possible drop-off time to the actual one. */
  delay: number;
  /** Per second after the due time, and per second squared. */
  lateness: number;
  latenessSquared: number;
  /**
   * How far before its first possible pickup or drop-off an order's due time may count. Earlier lateness is
   * unavoidable, so all orders beyond this limit are equally urgent. NEVER: every second counts.
   */
  maxPastSeconds: number;
}

export interface PlanningProblem {
  locationCount: number;
  /**
   * One flat matrix per vehicle profile, concatenated: `(profile * n + from) * n + to`. May be asymmetric.
   * Nearness is always judged by the first profile.
   */
  travel: Int32Array;
  stops: StopColumns;
  orders: OrderColumns;
  couriers: CourierColumns;
  prices: Prices;
  /** Whether a trip may mix restaurants, or delivers one restaurant's bundle completely first. */
  mixing: 'any' | 'one-pickup-place';
  /** `order * couriers + courier`: 0 if that courier may not carry the order. If missing, everyone may. */
  allowed?: Uint8Array;
  maxRouteStops: number;
  /** The last plan: each courier's stops in order. Unknown or no longer possible stops are planned again. */
  lastRoutes: readonly (readonly number[])[];
  /** How many stops at the start of each last route stay exactly as they are. */
  lockedStops: Int32Array;
}

export function countOrders(problem: PlanningProblem): number {
  return problem.orders.size.length;
}

export function countCouriers(problem: PlanningProblem): number {
  return problem.couriers.location.length;
}

/** Columns for this many orders without any constraints, for callers to fill in. */
export function emptyOrderColumns(count: number): { stops: StopColumns; orders: OrderColumns } {
  return {
    stops: {
      location: new Int32Array(2 * count),
      earliest: new Int32Array(2 * count),
      latest: new Int32Array(2 * count).fill(NEVER),
      arriving: new Int32Array(2 * count),
      leaving: new Int32Array(2 * count),
    },
    orders: {
      size: new Int32Array(count).fill(1),
      alone: new Uint8Array(count),
      earliestDropoff: new Int32Array(count),
      due: new Int32Array(count).fill(NEVER),
      leaveOutPrice: new Float64Array(count),
      pinnedTo: new Int32Array(count).fill(NOBODY),
      carried: new Uint8Array(count),
      announcedTo: new Int32Array(count).fill(NOBODY),
      changePrice: new Float64Array(count),
    },
  };
}

/** Columns for this many couriers who are available now and without end, for callers to fill in. */
export function emptyCourierColumns(count: number): CourierColumns {
  return {
    location: new Int32Array(count),
    available: new Int32Array(count),
    shiftEnd: new Int32Array(count).fill(NEVER),
    capacity: new Int32Array(count).fill(1),
    profile: new Int32Array(count),
    orderPrice: new Float64Array(count),
    endLocation: new Int32Array(count).fill(NOBODY),
    endLatest: new Int32Array(count).fill(NEVER),
  };
}
