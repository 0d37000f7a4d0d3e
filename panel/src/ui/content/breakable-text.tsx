import { Fragment } from 'react';

/** A line may break after the separators of addresses and ids. */
const PART = /[^/@?&=_-]*[/@?&=_-]*/g;

/** Addresses, ids and other long strings: broken after separators, and inside a part only if necessary. */
export function Breakable({ text }: { text: string }) {
  return (
    <span className="wrap-anywhere">
      {Array.from(text.matchAll(PART), ({ index, 0: part }) => (
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  );
}
