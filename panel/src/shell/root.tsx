import { Outlet } from '@tanstack/react-router';
import { Toasts } from '../components/toast.tsx';
import { TooltipProvider } from '../components/tooltip.tsx';

export function Root() {
  return (
    <TooltipProvider>
      <Outlet />
      <Toasts />
    </TooltipProvider>
  );
}
