import type { LucideIcon } from 'lucide-react';
import { classes } from '../../../ui/class-names.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { BeginAtTop } from './scroll-to-top.tsx';
import { BigButton } from './big-button.tsx';

const TONES = {
  danger: 'border-danger text-danger',
  warn: 'border-warn text-warn',
  info: 'border-accent text-accent',
} as const;

export interface NoticeProps {
  tone: keyof typeof TONES;
  Icon: LucideIcon;
  title: string;
  text: string;
  /** Announced immediately and scrolled into view. */
  isUrgent?: boolean;
  onRead: () => void;
}

/** Stays until dismissed: a courier who is riding would miss a message that disappears. */
export function Notice({ tone, Icon, title, text, isUrgent = false, onRead }: NoticeProps) {
  return (
    <section role={isUrgent ? 'alert' : 'status'} className={classes('border-b-2 tint', TONES[tone])}>
      {isUrgent && <BeginAtTop />}
      <div className="mx-auto flex max-w-xl flex-col gap-3 px-4 py-3">
        <div className="flex gap-4">
          <Icon aria-hidden className="size-7 shrink-0" />
          <div className="text-ink">
            <h2 className="text-lg font-bold">{title}</h2>
            <p className="text-lg">{text}</p>
          </div>
        </div>
        <BigButton onClick={onRead}>{courierTexts.understood}</BigButton>
      </div>
    </section>
  );
}
