/** The browser's time zones, plus the current one, which may have an older name. */
export function listZones(current: string): { value: string; label: string }[] {
  const zones = new Set([current, 'UTC', ...Intl.supportedValuesOf('timeZone')]);
  return [...zones].toSorted().map((value) => ({ value, label: value.replaceAll('_', ' ') }));
}
