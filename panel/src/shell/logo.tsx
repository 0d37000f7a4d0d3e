import { commonTexts } from '../texts/everywhere.ts';

/** A route that draws a W and ends at a stop. */
export function Mark({ className = 'size-7' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={className}>
      <rect width="32" height="32" rx="8" className="fill-ink" />
      <path
        d="M7 10.5l4.2 11L16 11l4.8 10.5 2.6-6.8"
        fill="none"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="stroke-on-ink"
      />
      <circle cx="24.6" cy="10.6" r="2.6" className="fill-brand" />
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="relative flex items-center gap-2.5">
      <Mark />
      <span className="text-lg font-semibold tracking-tight">{commonTexts.product}</span>
    </span>
  );
}
