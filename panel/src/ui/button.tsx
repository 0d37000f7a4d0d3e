import type { ComponentProps, MouseEvent, ReactNode, Ref } from 'react';
import { useId } from 'react';
import { classes } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

export type ButtonLook = 'primary' | 'secondary' | 'quiet' | 'danger';
export type ButtonSize = 'small' | 'medium' | 'icon' | 'inline';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled' | 'ref'> {
  look?: ButtonLook;
  size?: ButtonSize;
  icon?: ReactNode;
  /** The only way to disable a button: it stays focusable and shows the reason. */
  disabledReason?: string | null | undefined;
  isBusy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

const LOOKS: Record<ButtonLook, string> = {
  primary: 'bg-ink text-on-ink border-transparent shadow-card hover:opacity-88',
  secondary: 'bg-surface text-ink border-line shadow-card hover:bg-hover',
  quiet: 'bg-transparent text-ink-soft border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-danger-fill text-on-danger border-transparent shadow-card hover:opacity-90',
};

const SIZES: Record<ButtonSize, string> = {
  small: 'h-8 px-2.5 text-sm gap-1.5',
  medium: 'h-9 px-3.5 text-base gap-2',
  icon: 'size-9 justify-center',
  // For use in a line of text, without making the line taller.
  inline: 'size-6 justify-center -my-1',
};

export function buttonClasses(look: ButtonLook = 'secondary', size: ButtonSize = 'medium'): string {
  return classes(
    'inline-flex shrink-0 items-center justify-center rounded-md border font-medium whitespace-nowrap select-none',
    'transition-[background-color,opacity,color] duration-150',
    LOOKS[look],
    SIZES[size],
  );
}

export function Button(props: ButtonProps) {
  const { look, size, icon, disabledReason, isBusy = false, className, onClick, children, ...rest } = props;
  const reasonId = useId();
  const isOff = isBusy || (disabledReason !== undefined && disabledReason !== null);
  const click = (event: MouseEvent<HTMLButtonElement>): void => {
    if (!isOff) return onClick?.(event);
    event.preventDefault();
    // Focus shows the reason: touch has no hover, and not every browser focuses a pressed button.
    event.currentTarget.focus();
  };
  const button = (
    <button
      type="button"
      {...rest}
      onClick={click}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      aria-describedby={disabledReason ? reasonId : rest['aria-describedby']}
      className={classes(buttonClasses(look, size), isOff && 'cursor-not-allowed! opacity-50', className)}
    >
      {icon}
      {children}
    </button>
  );
  if (!disabledReason) return button;
  return (
    <>
      <Tooltip text={disabledReason}>{button}</Tooltip>
      <span id={reasonId} className="sr-only">
        {disabledReason}
      </span>
    </>
  );
}
