import { Fragment } from 'react';

/** A machine's word may go on in the next line behind what separates its parts. */
const PART = /[^/@?&=_-]*[/@?&=_-]*/g;

/** Addresses, ids and other long words of machines: broken between their parts, and inside of one only if need be. */
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
