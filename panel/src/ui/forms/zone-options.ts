/** To choose from: what the browser knows, with the one in force, which may be an older name. */
export function listZones(current: string): { value: string; label: string }[] {
  const zones = new Set([current, 'UTC', ...Intl.supportedValuesOf('timeZone')]);
  return [...zones].toSorted().map((value) => ({ value, label: value.replaceAll('_', ' ') }));
}
