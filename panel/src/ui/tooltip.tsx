// The library that places tooltips is a tenth of the first load, and nobody needs one before the page is there.
import { lazy, Suspense, type ComponentType } from 'react';
import type { TooltipProps } from './floating-tooltip.tsx';

const FloatingTooltip = lazy(async (): Promise<{ default: ComponentType<TooltipProps> }> => {
  try {
    return { default: (await import('./floating-tooltip.tsx')).FloatingTooltip };
  } catch {
    // A button has to work without its tooltip.
    return { default: WithoutTooltip };
  }
});

function WithoutTooltip({ children }: TooltipProps) {
  return children;
}

/** Says more about its child, on hover and on keyboard focus. The child has to be focusable. */
export function Tooltip({ text, children }: TooltipProps) {
  return (
    <Suspense fallback={children}>
      <FloatingTooltip text={text}>{children}</FloatingTooltip>
    </Suspense>
  );
}
