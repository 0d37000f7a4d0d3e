import { useMemo } from 'react';
import { encodeQr } from './qr-encoding.ts';

const QUIET_ZONE = 4;

/** Always dark on white: scanners do not read it the other way round. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const modules = useMemo(() => encodeQr(text), [text]);
  const size = modules.length + 2 * QUIET_ZONE;
  const path = modules
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto size-52 rounded-md"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
