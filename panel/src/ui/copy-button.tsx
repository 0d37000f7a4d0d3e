import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { commonTexts } from '../texts/everywhere.ts';
import { Button, type ButtonLook } from './button.tsx';

const SHOWN_MS = 1600;

export interface CopyButtonProps {
  text: string;
  /** Shown on the button; without it, only the icon is shown. */
  label?: string;
  /** Names the copied value for screen readers when only the icon is shown. */
  of?: string;
  look?: ButtonLook;
  /** For use in a line of text. */
  isInline?: boolean;
}

export function CopyButton({ text, label, of, look = 'secondary', isInline = false }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
  };
  const iconSize = isInline ? 'inline' : 'icon';
  const Icon = isCopied ? Check : Copy;
  return (
    <Button
      look={look}
      size={label === undefined ? iconSize : 'small'}
      aria-label={label === undefined ? commonTexts.copyThing(of ?? '') : undefined}
      icon={<Icon aria-hidden className={isInline ? 'size-3.5' : 'size-4'} />}
      onClick={() => void copy()}
    >
      {label !== undefined && (isCopied ? commonTexts.copied : label)}
      <span aria-live="polite" className="sr-only">
        {isCopied ? commonTexts.copied : ''}
      </span>
    </Button>
  );
}
