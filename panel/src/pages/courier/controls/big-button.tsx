// Large touch targets for gloves and sunlight: at least 56 pixels high, with the disabled reason visible without hover.
import { useId, type ComponentProps, type ReactNode } from 'react';
import { classes } from '../../../ui/class-names.ts';

export type BigLook = 'primary' | 'secondary' | 'danger';

const LOOKS: Record<BigLook, string> = {
  primary: 'bg-ink text-on-ink border-ink',
  secondary: 'bg-surface text-ink border-line-strong',
  danger: 'bg-surface text-danger border-danger',
};

export function bigButtonClasses(look: BigLook = 'secondary', isHuge = false): string {
  return classes(
    'flex w-full items-center justify-center gap-3 rounded-xl border-2 px-4 py-2 text-center font-semibold select-none',
    'touch-manipulation transition-[opacity,transform] active:scale-98',
    isHuge ? 'min-h-18 text-xl' : 'min-h-14 text-lg',
    LOOKS[look],
  );
}

export interface BigButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  look?: BigLook;
  isHuge?: boolean;
  icon?: ReactNode;
  isBusy?: boolean;
  disabledReason?: string | null | undefined;
}

export function BigButton(props: BigButtonProps) {
  const { look, isHuge = false, icon, isBusy = false, disabledReason, className, onClick, children, ...rest } = props;
  const reasonId = useId();
  const hasReason = disabledReason !== undefined && disabledReason !== null;
  const isOff = isBusy || hasReason;
  return (
    <span className={classes('flex min-w-0 flex-1 flex-col gap-1.5', className)}>
      {hasReason && (
        <span id={reasonId} className="text-center text-lg font-medium text-ink">
          {disabledReason}
        </span>
      )}
      <button
        type="button"
        {...rest}
        onClick={(event) => {
          if (isOff) event.preventDefault();
          else onClick?.(event);
        }}
        aria-disabled={isOff || undefined}
        aria-busy={isBusy || undefined}
        aria-describedby={hasReason ? reasonId : undefined}
        className={classes(bigButtonClasses(look, isHuge), isOff && 'cursor-not-allowed! border-dashed opacity-55')}
      >
        {icon}
        {children}
      </button>
    </span>
  );
}
