/** Style sheet of the report: cards in columns on wide screens, one on phones; follows the system's light or dark mode. */
export const STYLE = `
:root {
  --ground: #f6f6f4; --card: #ffffff; --ink: #1c1f23; --soft: #5b636d; --line: #e2e3e0;
  --first: #2563a8; --second: #d98324; --good: #1e7a46; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --card: #1d2125; --ink: #e9ebed; --soft: #a0a8b1; --line: #2f353b;
    --first: #6ea8e6; --second: #efa957; --good: #6fce96; --bad: #ff8f85;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 32px 16px 64px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 18px; margin: 0 0 4px; }
h3 { font-size: 15px; margin: 24px 0 8px; }
h4 { font-size: 14px; margin: 0; }
p { margin: 0; }
a { color: inherit; }
.kind { color: var(--soft); text-transform: uppercase; letter-spacing: 0.06em; font-size: 12px; }
.note { color: var(--soft); font-size: 13px; }
.verdict { font-size: 18px; font-weight: 600; margin-bottom: 8px; }
.good { color: var(--good); }
.bad { color: var(--bad); }
section { margin-top: 28px; }
figure, .scroll { background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 360px), 1fr)); gap: 12px; }
figure { margin: 0; padding: 14px; min-width: 0; }
figcaption { margin-bottom: 10px; }
svg { display: block; width: 100%; height: auto; }
.grid { stroke: var(--line); stroke-width: 1; }
.mark { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3; }
.axis { fill: var(--soft); font: 11px system-ui, sans-serif; }
.series0 { fill: var(--first); } .series1 { fill: var(--second); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 8px 0 0; padding: 0; font-size: 13px; }
.key { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; }
.key0 { background: var(--first); } .key1 { background: var(--second); } .key2 { background: var(--soft); }
.steps { margin: 8px 0 0; padding-left: 20px; font-size: 12px; color: var(--soft); overflow-wrap: anywhere; }
details { margin-top: 12px; }
summary { cursor: pointer; font-size: 13px; color: var(--soft); margin-bottom: 8px; }
.scroll { overflow-x: auto; margin: 10px 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 8px 14px; border-top: 1px solid var(--line); vertical-align: top; }
tbody:first-child tr:first-child > *, thead tr > * { border-top: 0; }
thead th { font-size: 12px; font-weight: 500; color: var(--soft); }
tbody th { font-weight: 500; min-width: 180px; }
td { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
th ul { font-size: 13px; font-weight: 400; overflow-wrap: anywhere; margin: 4px 0 0; padding-left: 18px; }
@media (max-width: 600px) {
  .axis { font-size: 14px; }
  th, td { padding: 8px 10px; }
}
`;
