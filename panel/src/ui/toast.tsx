// Short notices in the corner, also read out by screen readers. They never hold the only copy of important information.
import { X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { commonTexts } from '../texts/everywhere.ts';
import type { Tone } from './banner.tsx';
import { classes } from './class-names.ts';

interface Toast {
  id: number;
  tone: Tone;
  text: string;
}

const SHOWN_MS = 6000;
const MAX_TOASTS = 4;
const DOTS: Record<Tone, string> = { info: 'bg-accent', good: 'bg-good', warn: 'bg-warn', danger: 'bg-danger' };

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function showToast(text: string, tone: Tone = 'good'): void {
  lastId += 1;
  change([...toasts, { id: lastId, tone, text }].slice(-MAX_TOASTS));
}

function dismiss(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section
      aria-label={commonTexts.notifications}
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-28 z-50 flex flex-col items-end gap-2 md:bottom-6"
    >
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(toast.id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast.id]);
  return (
    <div className="pointer-events-auto flex w-full max-w-sm animate-rise items-center gap-3 rounded-lg border bg-raised py-2.5 pr-2 pl-4 shadow-float">
      <span aria-hidden className={classes('size-2 shrink-0 rounded-full', DOTS[toast.tone])} />
      <p className="min-w-0 flex-1">{toast.text}</p>
      <button
        type="button"
        aria-label={commonTexts.dismiss}
        onClick={() => dismiss(toast.id)}
        className="grid size-7 shrink-0 place-items-center rounded-sm text-ink-faint hover:text-ink"
      >
        <X aria-hidden className="size-4" />
      </button>
    </div>
  );
}
