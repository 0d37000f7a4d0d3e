// Splits one attempt's time into phases. DNS, connecting and TLS are measured separately; the first byte and the end
// are measured from the start.

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
  /** Fraction of the total, 0 to 1. */
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
  // If the attempt was repeated on a fresh connection, the parts can exceed the total; negative ones are dropped.
  return phases.flatMap(([phase, ms]) =>
    ms === null || ms <= 0 ? [] : [{ phase, ms, share: Math.min(1, ms / totalMs) }],
  );
}
