import type { ReactNode } from 'react';

export interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  /** For when nothing else is on the page. */
  isHeading?: boolean;
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon, title, isHeading = false, children, action }: EmptyStateProps) {
  const Title = isHeading ? 'h1' : 'p';
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-10 text-center">
      {icon !== undefined && (
        <div
          aria-hidden
          className="grid size-11 place-items-center rounded-full bg-sunken text-ink-faint [&>svg]:size-5"
        >
          {icon}
        </div>
      )}
      <div className="flex max-w-sm flex-col gap-1">
        <Title className="font-medium">{title}</Title>
        {children !== undefined && <div className="text-ink-soft">{children}</div>}
      </div>
      {action}
    </div>
  );
}
