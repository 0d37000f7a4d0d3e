import { DropdownMenu as Radix } from 'radix-ui';
import { createContext, use, useRef, useState, type ReactNode } from 'react';
import { classes } from './class-names.ts';

/** Runs the action after the menu has closed and focused its button, so that a dialog returns focus there. */
const Choose = createContext<(act: () => void) => void>(() => undefined);

/**
 * Not modal: modal menus lock scrolling with a style element, which the page's security policy blocks. Rendered inside
 * `main`, because screen reader users who navigate by landmark miss content outside all landmarks.
 */
export function Menu({ trigger, label, children }: { trigger: ReactNode; label: string; children: ReactNode }) {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const chosen = useRef<() => void>(null);
  const [choose] = useState(() => (act: () => void) => {
    chosen.current = act;
  });
  const close = (event: Event): void => {
    const act = chosen.current;
    if (act === null) return;
    chosen.current = null;
    event.preventDefault();
    button.current?.focus();
    act();
  };
  return (
    <Radix.Root modal={false} onOpenChange={(isOpen) => isOpen && setPlace(document.querySelector('main'))}>
      <Radix.Trigger asChild ref={button}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal container={place}>
        <Radix.Content
          aria-label={label}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={close}
          className="z-40 min-w-52 animate-fade rounded-lg border bg-raised p-1.5 shadow-float"
        >
          <Choose value={choose}>{children}</Choose>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export interface MenuItemProps {
  icon?: ReactNode;
  isDangerous?: boolean;
  /** Shown in the item, which stays focusable but does nothing. */
  disabledReason?: string | undefined;
  onSelect: () => void;
  children: ReactNode;
}

const ITEM = 'flex items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none select-none data-highlighted:bg-hover';

export function MenuItem({ icon, isDangerous = false, disabledReason, onSelect, children }: MenuItemProps) {
  const isOff = disabledReason !== undefined;
  const choose = use(Choose);
  return (
    <Radix.Item
      aria-disabled={isOff || undefined}
      onSelect={(event) => {
        if (isOff) event.preventDefault();
        else choose(onSelect);
      }}
      className={classes(ITEM, isDangerous ? 'text-danger' : 'text-ink', '[&>svg]:size-4 [&>svg]:shrink-0')}
    >
      {icon}
      <span className="flex flex-col">
        <span className={isOff ? 'text-ink-faint' : ''}>{children}</span>
        {isOff && <span className="max-w-60 text-xs text-ink-faint">{disabledReason}</span>}
      </span>
    </Radix.Item>
  );
}

export interface MenuChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string; icon?: ReactNode }[];
  onChange: (value: T) => void;
}

export function MenuChoice<T extends string>({ label, value, options, onChange }: MenuChoiceProps<T>) {
  return (
    <Radix.RadioGroup aria-label={label} value={value}>
      <Radix.Label className="px-2.5 py-1 label">{label}</Radix.Label>
      {options.map((option) => (
        <Radix.RadioItem
          key={option.value}
          value={option.value}
          onSelect={() => onChange(option.value)}
          className={classes(ITEM, 'data-[state=checked]:font-medium [&>svg]:size-4')}
        >
          {option.icon}
          {option.label}
          <Radix.ItemIndicator className="ml-auto size-1.5 rounded-full bg-accent" />
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

export function MenuLine() {
  return <Radix.Separator className="my-1.5 h-px bg-line" />;
}
