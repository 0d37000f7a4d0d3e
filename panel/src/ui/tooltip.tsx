// Lazy: the tooltip library is a tenth of the first load, and is not needed before the page is shown.
import { lazy, Suspense, type ComponentType } from 'react';
import type { TooltipProps } from './floating-tooltip.tsx';

const FloatingTooltip = lazy(async (): Promise<{ default: ComponentType<TooltipProps> }> => {
  try {
    return { default: (await import('./floating-tooltip.tsx')).FloatingTooltip };
  } catch {
    // A button must work even if its tooltip fails to load.
    return { default: WithoutTooltip };
  }
});

function WithoutTooltip({ children }: TooltipProps) {
  return children;
}

/** Explains its child on hover and on keyboard focus. The child must be focusable. */
export function Tooltip({ text, children }: TooltipProps) {
  return (
    <Suspense fallback={children}>
      <FloatingTooltip text={text}>{children}</FloatingTooltip>
    </Suspense>
  );
}
