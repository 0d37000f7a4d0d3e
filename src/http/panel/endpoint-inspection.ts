// How far the way to an endpoint was clear, for whoever has to mend it.
import type { InspectionStep, InspectionView } from '../../contract/panel/restaurants/integration.ts';

/** What the way out reports; more than is told. */
export interface Inspection extends Omit<InspectionView, 'addresses' | 'failedAt'> {
  addresses: readonly string[];
  errorClass: string | null;
}

export function describeInspection(inspection: Inspection): InspectionView {
  const { errorClass: _class, addresses, ...seen } = inspection;
  return { ...seen, addresses: [...addresses], failedAt: findFailedStep(inspection) };
}

/** A step that was finished has its time. */
function findFailedStep({ ok, errorClass, dnsMs, connectMs }: Inspection): InspectionStep | null {
  if (ok) return null;
  if (errorClass === 'refused_address') return 'address';
  if (errorClass === 'dns' || dnsMs === null) return 'name';
  return connectMs === null ? 'connection' : 'certificate';
}
