/** Call after the first render: prefetching files must not slow down the first load. */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return;
  // Without it, the page still works online.
  navigator.serviceWorker.register('/sw.js').catch(() => undefined);
}
