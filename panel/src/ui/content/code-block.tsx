import { CopyButton } from '../copy-button.tsx';

export interface CodeBlockProps {
  /** Names the text for screen readers and the copy button. */
  label: string;
  /** Shown as plain text: content from receivers and integrators is untrusted. */
  text: string;
}

export function CodeBlock({ label, text }: CodeBlockProps) {
  return (
    <figure className="overflow-hidden rounded-md border bg-sunken">
      <figcaption className="flex items-center justify-between gap-3 border-b py-2 pr-2 pl-3">
        <span className="label">{label}</span>
        <CopyButton text={text} of={label} look="quiet" isInline />
      </figcaption>
      {/* Focusable, so that overflow can be scrolled by keyboard. */}
      <pre
        tabIndex={0}
        className="max-h-96 overflow-auto p-3 font-mono text-xs leading-relaxed wrap-anywhere whitespace-pre-wrap"
      >
        {text}
      </pre>
    </figure>
  );
}
