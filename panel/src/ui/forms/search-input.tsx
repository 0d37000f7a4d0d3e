import { Search, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { onFocusSearch } from '../shortcuts.ts';
import { commonTexts } from '../../texts/everywhere.ts';
import { classes } from '../class-names.ts';
import { INPUT_CLASSES } from './field.tsx';

export interface SearchInputProps {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
}

/** The / key focuses it from anywhere on the page; Escape clears it. */
export function SearchInput({ label, placeholder, value, onChange, className }: SearchInputProps) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => onFocusSearch(() => ref.current?.focus()), []);
  return (
    <search className={classes('relative block', className)}>
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-ink-faint" />
      <input
        ref={ref}
        type="text"
        inputMode="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder ?? label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onChange('');
        }}
        className={classes(INPUT_CLASSES, 'h-9 px-9')}
      />
      {value === '' ? (
        <kbd
          aria-hidden
          className="absolute top-2 right-2.5 hidden rounded border px-1.5 text-xs text-ink-faint sm:block"
        >
          /
        </kbd>
      ) : (
        <button
          type="button"
          aria-label={commonTexts.clearSearch}
          onClick={() => onChange('')}
          className="absolute top-1.5 right-1.5 grid size-6 place-items-center rounded-sm text-ink-faint hover:text-ink"
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
    </search>
  );
}
