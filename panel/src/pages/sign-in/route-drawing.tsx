/** Decoration only: the streets of a small town, and a courier's route to three doors. */
export function RouteDrawing({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 480 640" fill="none" aria-hidden preserveAspectRatio="xMidYMid slice" className={className}>
      <g className="stroke-on-night/12" strokeWidth="1.5">
        {STREETS.map((street) => (
          <path key={street} d={street} />
        ))}
      </g>
      <path
        d={WAY}
        className="stroke-brand"
        strokeWidth="4"
        strokeLinecap="round"
        strokeLinejoin="round"
        pathLength="1"
      />
      {DROPOFFS.map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r="7" className="fill-night stroke-brand" strokeWidth="4" />
      ))}
      <circle cx="392" cy="148" r="18" className="fill-brand/25" />
      <circle cx="392" cy="148" r="8" className="fill-brand" />
    </svg>
  );
}

const STREETS = [
  'M-20 88L500 60M-20 196L500 168M-20 330L500 296M-20 452L500 430M-20 566L500 556',
  'M64 -20L40 660M168 -20L150 660M276 -20L262 660M392 -20L384 660',
  'M-20 250L168 -20M262 660L500 360',
];
const WAY = 'M48 450L156 446L159 320L270 312L266 443L386 436L388 304L392 148';
const DROPOFFS = [
  { x: 48, y: 450 },
  { x: 270, y: 312 },
  { x: 386, y: 436 },
];
