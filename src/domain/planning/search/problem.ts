// What the planner is asked: orders, couriers and travel times as columns of integers, in seconds from an instant of the
// caller's choice. Order `o` has two stops: `2 * o` is its pickup and `2 * o + 1` its drop-off.

/** A time that no stop ever reaches: "no limit". Chosen so that sums of a few of them still fit 32 bits. */
export const NEVER = 2 ** 29 - 1;

/** The travel time of a gap in the matrix. It lies beyond NEVER, so a leg that has it is never feasible. */
export const UNREACHABLE = 2 ** 29;

export const NOBODY = -1;

/** Columns with one entry for each stop, two for each order. */
export interface StopColumns {
  location: Int32Array;
  /** Not served before: food ready at a pickup, opening of a window at a drop-off. */
  earliest: Int32Array;
  /** Hard: not served after. NEVER where there is no such limit. */
  latest: Int32Array;
  /** Service on arrival before the handover and after it. Pickups that follow one another at one place share it. */
  arriving: Int32Array;
  leaving: Int32Array;
}

/** Columns with one entry for each order. */
export interface OrderColumns {
  size: Int32Array;
  /** 1 when nothing else may be on board with it, however much room there is. */
  alone: Uint8Array;
  /** When it could be at the door at best; the time after it costs `prices.delay` a second. */
  bestDoor: Int32Array;
  /** Soft: lateness after it costs more and more. */
  due: Int32Array;
  leaveOutPrice: Float64Array;
  /** The courier who accepted or carries it; never moved to another. NOBODY while it is free. */
  pinnedTo: Int32Array;
  /** 1 when the courier in `pinnedTo` has picked it up: only the drop-off remains. */
  carried: Uint8Array;
  /** The courier named in what was announced, and the price for another one. */
  announcedTo: Int32Array;
  changePrice: Float64Array;
}

/** Columns with one entry for each courier. */
export interface CourierColumns {
  location: Int32Array;
  /** When the courier can leave that location. */
  available: Int32Array;
  /** No pickup after it; drop-offs may be later. */
  shiftEnd: Int32Array;
  capacity: Int32Array;
  /** Which matrix of `travel` applies. */
  profile: Int32Array;
  /** Price of giving this courier one more order, for pay and for fairness. */
  orderPrice: Float64Array;
  /** Where the route must end, with what is due there; NOBODY for a route that ends at its last stop. */
  endLocation: Int32Array;
  endLatest: Int32Array;
}

export interface Prices {
  /** For each second of travel. */
  travel: number;
  /** For each second that a courier with something to do waits at a pickup. */
  waiting: number;
  /** For each second from the best possible door time to the actual one. */
  delay: number;
  /** For each second after the due time, and for each second of it squared. */
  lateness: number;
  latenessSquared: number;
  /**
   * How far before its first possible pickup or drop-off an order's due time may count. What lies further back no plan
   * can avoid, so orders later than that are all equally urgent. NEVER: every second counts.
   */
  maxPastSeconds: number;
}

export interface PlanningProblem {
  locationCount: number;
  /**
   * One flat matrix for each vehicle profile, behind one another: `(profile * n + from) * n + to`. May be asymmetric. What
   * is near to what is judged by the first, whoever rides.
   */
  travel: Int32Array;
  stops: StopColumns;
  orders: OrderColumns;
  couriers: CourierColumns;
  prices: Prices;
  /** Whether a trip may mix restaurants, or serves one restaurant's bundle until it is all delivered. */
  mixing: 'any' | 'one-pickup-place';
  /** `order * couriers + courier`: 0 where that courier may not carry the order. Everyone may when it is missing. */
  allowed?: Uint8Array;
  maxRouteStops: number;
  /** The last plan: the stops of each courier in order. What is unknown or no longer possible is planned anew. */
  lastRoutes: readonly (readonly number[])[];
  /** How many stops at the head of each last route stay exactly as they are. */
  lockedStops: Int32Array;
}

export function countOrders(problem: PlanningProblem): number {
  return problem.orders.size.length;
}

export function countCouriers(problem: PlanningProblem): number {
  return problem.couriers.location.length;
}

/** Columns for so many orders with nothing asked of them, for callers to fill in. */
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
      bestDoor: new Int32Array(count),
      due: new Int32Array(count).fill(NEVER),
      leaveOutPrice: new Float64Array(count),
      pinnedTo: new Int32Array(count).fill(NOBODY),
      carried: new Uint8Array(count),
      announcedTo: new Int32Array(count).fill(NOBODY),
      changePrice: new Float64Array(count),
    },
  };
}

/** Columns for so many couriers who are free at once and for ever, for callers to fill in. */
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
