import type { ReactNode } from 'react';

/** Sticks to the bottom of the screen, within reach of the thumb. */
export function BottomPanel({ children }: { children: ReactNode }) {
  return (
    <footer className="sticky bottom-0 z-20 flex flex-col gap-3 border-t-2 bg-surface px-4 pt-3 pb-[max(1rem,env(safe-area-inset-bottom))]">
      {children}
    </footer>
  );
}
