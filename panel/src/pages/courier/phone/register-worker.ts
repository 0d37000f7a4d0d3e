/** Once the page stands: fetching the files beforehand must not slow down the first opening. */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return;
  // Without it the page works as long as there is a connection.
  navigator.serviceWorker.register('/sw.js').catch(() => undefined);
}
