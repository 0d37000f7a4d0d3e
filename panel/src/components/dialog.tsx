// The browser's own modal dialog: it keeps the focus inside, makes the rest inert and closes on Escape, without a
// style element that the page's security policy would refuse.
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useId, useRef } from 'react';
import { commonTexts } from '../texts/everywhere.ts';
import { Button } from './button.tsx';
import { classes } from './class-names.ts';

export interface DialogProps {
  title: string;
  description?: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  children?: ReactNode;
  /** Buttons, the most likely one last. */
  actions?: ReactNode;
  isWide?: boolean;
  /** Asked before Escape, the backdrop or the cross closes it; something shown only once must not vanish by accident. */
  isSticky?: boolean;
}

export function Dialog(props: DialogProps) {
  const { title, description, isOpen, onClose, children, actions, isWide = false, isSticky = false } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    if (isOpen && !dialog.open) dialog.showModal();
    if (!isOpen && dialog.open) dialog.close();
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (!isSticky) onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current && !isSticky) onClose();
      }}
      className={classes(
        'fixed inset-x-0 top-auto bottom-0 m-0 max-h-[92dvh] w-full max-w-none overflow-y-auto rounded-t-xl border bg-raised p-0 shadow-float',
        'animate-rise backdrop:bg-shade sm:inset-0 sm:m-auto sm:h-fit sm:rounded-xl',
        isWide ? 'sm:max-w-2xl' : 'sm:max-w-md',
      )}
    >
      <div className="flex flex-col gap-5 p-5 sm:p-6">
        <header className="flex items-start justify-between gap-4">
          <div className="flex flex-col gap-1.5">
            <h2 id={titleId} className="text-lg font-semibold tracking-tight">
              {title}
            </h2>
            {description !== undefined && <div className="text-ink-soft">{description}</div>}
          </div>
          {!isSticky && (
            <Button
              look="quiet"
              size="icon"
              className="-mt-1.5 -mr-2"
              aria-label={commonTexts.close}
              icon={<X aria-hidden className="size-4" />}
              onClick={onClose}
            />
          )}
        </header>
        {children}
        {actions !== undefined && <footer className="flex flex-wrap justify-end gap-2">{actions}</footer>}
      </div>
    </dialog>
  );
}
