/** Style sheet of the report: two columns on wide screens, one on phones; follows the system's light or dark mode. */
export const STYLE = `
:root {
  --ground: #f6f6f4; --card: #ffffff; --ink: #1c1f23; --soft: #5b636d; --line: #e2e3e0;
  --first: #2563a8; --second: #d98324; --third: #7d8a97; --good: #1e7a46; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --card: #1d2125; --ink: #e9ebed; --soft: #a0a8b1; --line: #2f353b;
    --first: #6ea8e6; --second: #efa957; --third: #8b97a3; --good: #6fce96; --bad: #ff8f85;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 32px 16px 64px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 15px; margin: 0; }
p { margin: 0; }
.kind { color: var(--soft); text-transform: uppercase; letter-spacing: 0.06em; font-size: 12px; }
.note { color: var(--soft); font-size: 13px; }
.verdict { font-size: 18px; font-weight: 600; margin-bottom: 8px; }
.good { color: var(--good); }
.bad { color: var(--bad); }
section { margin-top: 28px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; }
.tile, figure, .scroll { background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.tile { padding: 12px 14px; }
.tile h2 { font-size: 13px; font-weight: 500; color: var(--soft); }
.value { font-size: 22px; font-weight: 600; font-variant-numeric: tabular-nums; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 12px; }
figure { margin: 0; padding: 14px; }
figcaption { margin-bottom: 10px; }
svg { display: block; width: 100%; height: auto; }
.grid { stroke: var(--line); stroke-width: 1; }
.axis { fill: var(--soft); font: 11px system-ui, sans-serif; }
.series0 { fill: var(--first); } .series1 { fill: var(--second); } .series2 { fill: var(--third); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 8px 0 0; padding: 0; font-size: 13px; }
.key { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; }
.key0 { background: var(--first); } .key1 { background: var(--second); } .key2 { background: var(--third); }
section > h2 { font-size: 18px; margin-bottom: 4px; }
.scroll { overflow-x: auto; margin: 10px 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 8px 14px; border-top: 1px solid var(--line); vertical-align: top; }
tbody:first-child tr:first-child > *, thead tr > * { border-top: 0; }
thead th { font-size: 12px; font-weight: 500; color: var(--soft); white-space: nowrap; }
tbody th { font-weight: 500; min-width: 180px; }
tbody th .note { display: block; font-weight: 400; }
td { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
th ul, section > ul { font-size: 13px; font-weight: 400; overflow-wrap: anywhere; margin: 4px 0 0; padding-left: 18px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 0; font-size: 14px; }
dt { color: var(--soft); }
dd { margin: 0; }
@media (max-width: 600px) {
  .axis { font-size: 14px; }
  th, td { padding: 8px 10px; }
}
`;
