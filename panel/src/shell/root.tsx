import { Outlet } from '@tanstack/react-router';
import { Toasts } from '../ui/toast.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';

export function Root() {
  return (
    <TooltipProvider>
      <Outlet />
      <Toasts />
    </TooltipProvider>
  );
}
