import {
  DAILY_DEFINITION,
  SHARPE_DEFINITION,
  SORTINO_DEFINITION,
  VOLATILITY_DEFINITION,
} from '../daily-returns.ts';
import { downsample } from '../downsample.ts';
import { percentText, ratioText } from '../format.ts';
import { MONTHLY_DEFINITION } from '../monthly.ts';
import { CAGR_DEFINITION, CALMAR_DEFINITION, DRAWDOWN_DEFINITION } from '../performance.ts';
import { drawnRolling, POINTS_MAX } from '../run-page.ts';
import { BENCHMARK_DEFINITION, type DailySeries, type Tearsheet, tearsheetJson } from '../tearsheet.ts';
import { chartPage } from './chart-page.ts';
import { html, type Markup } from './markup.ts';
import {
  curvePart,
  dayTile,
  estimateTile,
  monthsSection,
  scaleControl,
  valuesLine,
  valueTile,
} from './sections.ts';

/** A tearsheet as one HTML file; `name` is its title. */
export function tearsheetHtml(name: string, series: DailySeries, sheet: Tearsheet): string {
  const summary = tearsheetJson(sheet);
  const rolling = drawnRolling(sheet.statistics.rolling);
  const title = `${name}: ${summary.from} to ${summary.to}`;
  const legend =
    sheet.benchmark === null
      ? undefined
      : html`<ul class="legend"><li class="equity">Equity</li><li class="hold">Benchmark, from the same start</li></ul>`;
  const drawdowns = summary.drawdowns.map(({ peak, trough, recovered, ...rest }) => ({
    peakAt: peak,
    troughAt: trough,
    recoveredAt: recovered,
    ...rest,
  }));
  const definitions = [
    ...[CAGR_DEFINITION, SHARPE_DEFINITION, SORTINO_DEFINITION, VOLATILITY_DEFINITION, DAILY_DEFINITION],
    ...[CALMAR_DEFINITION, DRAWDOWN_DEFINITION, MONTHLY_DEFINITION],
    ...(sheet.benchmark === null ? [] : [BENCHMARK_DEFINITION]),
  ].map((text) => html`<li>${text}</li>`);
  const body = html`<header><h1>${title}</h1><p class="soft">Figures of a file: what it leaves out (costs, fills, prices that could not be traded) is not known here.</p></header>
<section aria-labelledby="figures"><h2 id="figures">Figures</h2><dl class="tiles">${tilesOf(sheet, summary)}</dl></section>
<section aria-labelledby="lines"><h2 id="lines">Equity</h2>${legend}
${scaleControl('equity')}<div id="equity-chart" class="chart" role="img" aria-label="Equity, ${percentText(sheet.totalReturn, { signed: true })} in all"></div>${valuesLine('equity')}
<h3>Drawdown</h3>
<div id="drawdown-chart" class="chart low" role="img" aria-label="Fall from the running peak, at worst ${percentText(sheet.maxDrawdown.share)}"></div>${valuesLine('drawdown')}</section>
${monthsSection({ months: summary.years })}
<section aria-labelledby="statistics"><h2 id="statistics">Statistics</h2>${curvePart({ drawdowns, histogram: summary.histogram }, rolling)}</section>
<section aria-labelledby="defined"><h2 id="defined">Definitions</h2><ul>${definitions}</ul></section>`;
  return chartPage(title, body, { curve: linesOf(series), charts: [], rolling, trades: [], benchmark: null });
}

function tilesOf(sheet: Tearsheet, summary: ReturnType<typeof tearsheetJson>): readonly Markup[] {
  const signed = (share: number): string => percentText(share, { signed: true });
  const { benchmark } = sheet;
  return [
    valueTile('Return', signed(sheet.totalReturn)),
    estimateTile('CAGR', sheet.cagr, signed),
    valueTile('Max drawdown', percentText(sheet.maxDrawdown.share)),
    estimateTile('Sharpe', sheet.sharpe, ratioText),
    estimateTile('Sortino', sheet.sortino, ratioText),
    estimateTile('Calmar', sheet.calmar, ratioText),
    estimateTile('Volatility', sheet.volatility, (share) => percentText(share)),
    ...dayTile('Best day', summary.bestDay),
    ...dayTile('Worst day', summary.worstDay),
    ...(benchmark === null
      ? []
      : [
          valueTile('Benchmark', signed(benchmark.totalReturn)),
          estimateTile('Beta', benchmark.beta, ratioText),
          estimateTile('Alpha', benchmark.alpha, signed),
          estimateTile('Correlation', benchmark.correlation, ratioText),
        ]),
  ];
}

function linesOf({ time, equity, benchmark }: DailySeries) {
  const indices = downsample(Float64Array.from(equity), POINTS_MAX);
  const at = (values: readonly number[]): readonly number[] =>
    indices.map((index) => values[index] as number);
  const [start = 1, from = 1] = [equity[0], benchmark?.[0]];
  let peak = start;
  const fallen = equity.map((value) => {
    peak = Math.max(peak, value);
    return 1 - value / peak;
  });
  return {
    time: at(time),
    equity: at(equity),
    hold:
      benchmark === undefined
        ? indices.map(() => null)
        : at(benchmark).map((value) => (value / from) * start),
    drawdown: at(fallen),
    exposure: [],
  };
}
