import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export interface TooltipProps {
  text: ReactNode;
  children: ReactNode;
}

export function FloatingTooltip({ text, children }: TooltipProps) {
  return (
    <Radix.Provider>
      <Radix.Root delayDuration={250}>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-72 animate-fade rounded-md bg-ink px-2.5 py-1.5 text-xs text-on-ink shadow-float"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
