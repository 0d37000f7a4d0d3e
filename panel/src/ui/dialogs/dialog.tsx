// The browser's own modal dialog: it keeps the focus inside, makes the rest inert and closes on Escape, without a
// style element that the page's security policy would refuse.
import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { useEffect, useId, useLayoutEffect, useRef } from 'react';
import { commonTexts } from '../../texts/everywhere.ts';
import { Button } from '../button.tsx';
import { classes } from '../class-names.ts';

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

const FIRST_FIELD = 'input:not([readonly], [type=checkbox], [type=radio]), select, textarea';

export function Dialog(props: DialogProps) {
  const { title, description, isOpen, onClose, children, actions, isWide = false, isSticky = false } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    if (isOpen && !dialog.open) {
      dialog.showModal();
      // Rather than the cross, which comes first.
      dialog.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    }
    if (!isOpen && dialog.open) dialog.close();
  }, [isOpen]);
  useFocusBack(isOpen);
  useBackdropPress(ref, isOpen && !isSticky ? onClose : null);
  if (!isOpen) return null;
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (!isSticky) onClose();
      }}
      className={classes(
        'fixed inset-x-0 top-auto bottom-0 m-0 max-h-[92dvh] w-full max-w-none overflow-y-auto rounded-t-xl border bg-raised p-0 text-ink shadow-float',
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
        {actions !== undefined && (
          // In sight also where the rest has to be scrolled; the margins take the place of the frame's padding.
          <footer className="sticky bottom-0 -m-5 flex flex-wrap justify-end gap-2 bg-raised p-5 sm:-mx-6 sm:-mb-6 sm:px-6 sm:pb-6">
            {actions}
          </footer>
        )}
      </div>
    </dialog>
  );
}

/** For whoever points. The keyboard has Escape, so the dialog itself is nothing that could be pressed. */
function useBackdropPress(ref: RefObject<HTMLDialogElement | null>, onPress: (() => void) | null): void {
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null || onPress === null) return;
    // Only when it began there: whoever selects text and lets go outside does not want to lose what is written.
    let hasBegun = false;
    const begin = (event: Event): void => {
      hasBegun = event.target === dialog;
    };
    const end = (event: Event): void => {
      if (hasBegun && event.target === dialog) onPress();
    };
    dialog.addEventListener('pointerdown', begin);
    dialog.addEventListener('click', end);
    return () => {
      dialog.removeEventListener('pointerdown', begin);
      dialog.removeEventListener('click', end);
    };
  }, [ref, onPress]);
}

/** The browser would do it for a dialog that is closed; ours is taken away. */
function useFocusBack(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    return () => {
      // Everything else cannot be focused until the dialog is gone. Without scrolling, as the browser does it: what came to
      // the top of the page meanwhile wants to be read.
      if (before instanceof HTMLElement) queueMicrotask(() => before.focus({ preventScroll: true }));
    };
  }, [isOpen]);
}
