// Uses the native modal dialog: it traps focus, makes the rest inert and closes on Escape, without a style element,
// which the page's security policy would block.
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
  /** Not closed by Escape, the backdrop or the cross: content shown only once must not be lost by accident. */
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
      // Instead of the close button, which comes first.
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
          // Sticky, so that the buttons stay visible while the rest scrolls. The margins offset the frame's padding.
          <footer className="sticky bottom-0 -m-5 flex flex-wrap justify-end gap-2 bg-raised p-5 sm:-mx-6 sm:-mb-6 sm:px-6 sm:pb-6">
            {actions}
          </footer>
        )}
      </div>
    </dialog>
  );
}

/** For pointers only: keyboard users have Escape, so the dialog itself needs no button role. */
function useBackdropPress(ref: RefObject<HTMLDialogElement | null>, onPress: (() => void) | null): void {
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null || onPress === null) return;
    // Only if the press began on the backdrop: selecting text and releasing outside must not lose input.
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

/** The browser restores focus only when a dialog is closed; ours is unmounted. */
function useFocusBack(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    return () => {
      // Deferred: nothing else can be focused until the dialog is gone. Without scrolling, like the browser does:
      // content that appeared at the top of the page in the meantime must stay in view.
      if (before instanceof HTMLElement) queueMicrotask(() => before.focus({ preventScroll: true }));
    };
  }, [isOpen]);
}
