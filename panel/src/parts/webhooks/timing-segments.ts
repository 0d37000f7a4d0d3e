// Where the time of one attempt went. DNS, connecting and TLS are measured each for itself; the first byte and the end
// count from the beginning.

export interface AttemptTimings {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  totalMs: number | null;
}

export type TimingPhase = 'dns' | 'connect' | 'tls' | 'wait' | 'answer';

export interface TimingSegment {
  phase: TimingPhase;
  ms: number;
  /** Of the whole, 0 to 1. */
  share: number;
}

export function timingSegments({ dnsMs, connectMs, tlsMs, firstByteMs, totalMs }: AttemptTimings): TimingSegment[] {
  if (totalMs === null) return [];
  const connected = (dnsMs ?? 0) + (connectMs ?? 0) + (tlsMs ?? 0);
  const answeredAt = firstByteMs ?? totalMs;
  const phases: [TimingPhase, number | null][] = [
    ['dns', dnsMs],
    ['connect', connectMs],
    ['tls', tlsMs],
    ['wait', answeredAt - connected],
    ['answer', firstByteMs === null ? null : totalMs - firstByteMs],
  ];
  // An attempt that was repeated on a fresh connection spent more than its parts add up to; none may be negative.
  return phases.flatMap(([phase, ms]) =>
    ms === null || ms <= 0 ? [] : [{ phase, ms, share: Math.min(1, ms / totalMs) }],
  );
}
