// Global shortcuts: / to search, g and a letter to go to a page, ? for the list. Inactive while the user types, and
// free of keys that browsers or screen readers use.

export interface Shortcut {
  /** One key, or two in sequence. */
  keys: readonly [string] | readonly [string, string];
  run: () => void;
}

const SECOND_KEY_WITHIN_MS = 1200;

const searchFields: (() => void)[] = [];

/** The search field mounted last gets the key. */
export function onFocusSearch(focus: () => void): () => void {
  searchFields.push(focus);
  return () => {
    searchFields.splice(searchFields.indexOf(focus), 1);
  };
}

export function focusSearch(): void {
  searchFields.at(-1)?.();
}

/** Finds the shortcut that the last keys complete. Pure, so that it can be tested without a browser. */
export function matchShortcut<T extends Pick<Shortcut, 'keys'>>(
  shortcuts: readonly T[],
  typed: { key: string; before: string | null },
): T | undefined {
  const two = shortcuts.find(({ keys }) => keys.length === 2 && keys[0] === typed.before && keys[1] === typed.key);
  return two ?? shortcuts.find(({ keys }) => keys.length === 1 && keys[0] === typed.key);
}

export function listenForShortcuts(shortcuts: readonly Shortcut[]): () => void {
  let before: { key: string; atMs: number } | null = null;
  const listen = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const isRecent = before !== null && event.timeStamp - before.atMs < SECOND_KEY_WITHIN_MS;
    const found = matchShortcut(shortcuts, { key: event.key, before: isRecent ? (before?.key ?? null) : null });
    before = found === undefined ? { key: event.key, atMs: event.timeStamp } : null;
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  };
  document.addEventListener('keydown', listen);
  return () => document.removeEventListener('keydown', listen);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}
