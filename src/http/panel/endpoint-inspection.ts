// Shows which step of reaching an endpoint failed, for the person who has to fix it.
import type { InspectionStep, InspectionView, CheckAnswer } from '../../contract/panel/restaurants/integration.ts';

export interface EndpointCheckRequest {
  url: string;
  eventId: string;
  body: string;
  /** Null: unsigned. */
  secret: string | null;
  hasMetadata: boolean;
}

type Sent = Pick<NonNullable<CheckAnswer['test']>, 'ok' | 'status' | 'errorText' | 'answer' | 'totalMs'>;

/** What the sender reports; users see only part of it. */
export interface EndpointCheck {
  inspection: Inspection;
  /** Null: the endpoint is unreachable, so nothing was sent. */
  sent: { headers: Record<string, string>; outcome: Sent & { errorClass: string | null } } | null;
}

/** What the sender reports; users see only part of it. */
export interface Inspection extends Omit<InspectionView, 'addresses' | 'failedAt'> {
  addresses: readonly string[];
  errorClass: string | null;
}

export function describeInspection(inspection: Inspection): InspectionView {
  const { errorClass: _class, addresses, ...seen } = inspection;
  return { ...seen, addresses: [...addresses], failedAt: findFailedStep(inspection) };
}

/** A completed step has a duration, so the first step without one failed. */
function findFailedStep({ ok, errorClass, dnsMs, connectMs }: Inspection): InspectionStep | null {
  if (ok) return null;
  if (errorClass === 'refused_address') return 'address';
  if (errorClass === 'dns' || dnsMs === null) return 'name';
  return connectMs === null ? 'connection' : 'certificate';
}
