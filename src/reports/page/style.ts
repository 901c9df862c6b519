/** Style sheet of the page: light and dark by the reader's system, nothing fetched. */
export const PAGE_STYLE = `
:root { color-scheme: light dark;
  --ground: #fbfbfa; --card: #ffffff; --ink: #1c1e21; --soft: #5b616a; --line: #dfe2e6;
  --equity: #1f5fbf; --hold: #8a6d1f; --bench: #7a3fb0; --fall: #b3261e; --good: #176b3a; --bad: #b3261e; --note: #fff4d6; --note-ink: #5c4300; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #14161a; --card: #1c1f24; --ink: #e7e9ec; --soft: #a3abb6; --line: #343a42;
  --equity: #7db0ff; --hold: #dcbb62; --bench: #cba6f7; --fall: #ff8f85; --good: #6fd39a; --bad: #ff8f85; --note: #3a3014; --note-ink: #f3dfa2; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1360px; overflow-wrap: anywhere; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 1.5rem; margin: 0 0 4px; } h2 { font-size: 1.1rem; margin: 0 0 12px; } h3 { font-size: 1rem; margin: 16px 0 8px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin: 16px 0; }
.soft { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); }
.banner { background: var(--note); color: var(--note-ink); border-radius: 6px; padding: 8px 12px; margin: 12px 0; font-weight: 600; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(190px, 1fr)); gap: 12px; margin: 0; }
.tiles div { border: 1px solid var(--line); border-radius: 6px; padding: 8px 12px; }
.tiles dt { color: var(--soft); font-size: .85rem; } .tiles dd { margin: 0; font-size: 1.15rem; font-variant-numeric: tabular-nums; }
.tiles dd.reason { font-size: .85rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 6px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } .words { white-space: normal; }
th { color: var(--soft); font-weight: 600; } thead th { white-space: normal; overflow-wrap: normal; vertical-align: bottom; }
.chart { height: 280px; } .chart.low { height: 150px; } .chart.price { height: 360px; }
.legend { display: flex; flex-wrap: wrap; gap: 16px; color: var(--soft); font-size: .9rem; margin: 0 0 8px; padding: 0; list-style: none; }
.legend li::before { content: ""; display: inline-block; width: 14px; height: 3px; margin-right: 6px; vertical-align: middle; background: currentColor; }
.legend .equity { color: var(--equity); } .legend .hold { color: var(--hold); } .legend .bench { color: var(--bench); }
.values { min-height: 1.5em; margin: 4px 0 0; font-size: .85rem; font-variant-numeric: tabular-nums; } .legend .fall { color: var(--fall); }
.controls { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 8px 0; }
button, select { font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: 4px 10px; }
input { font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: 4px 10px; }
button.sort { background: none; border: 0; padding: 0; color: inherit; font-weight: inherit; cursor: pointer; }
.histogram { width: 100%; max-height: 180px; } .histogram text { fill: var(--soft); font-size: 11px; }
.histogram rect.good { fill: var(--good); } .histogram rect.bad { fill: var(--bad); } .histogram line { stroke: var(--soft); }
button:disabled { color: var(--soft); }
:focus-visible { outline: 2px solid var(--equity); outline-offset: 2px; }
pre { overflow-x: auto; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: 12px; }
code, pre { font: 13px/1.5 ui-monospace, monospace; } .hash { overflow-wrap: anywhere; }
ul { padding-left: 20px; margin: 0; } footer { color: var(--soft); font-size: .85rem; }
a { color: var(--equity); }
@media (max-width: 560px) { section { padding: 12px; } .tiles { grid-template-columns: repeat(auto-fill, minmax(120px, 1fr)); gap: 8px; } }
@media print { section { break-inside: avoid; } }
`;
