import { plural } from '../../model/plural.ts';
import type { RunPage } from '../run-page.ts';
import { html, type Markup } from './markup.ts';
import { valuesLine } from './sections.ts';

/** The price charts, one at a time. */
export function pricesSection({ charts, chartsOmitted, seriesNotes = [], report }: RunPage): Markup {
  if (charts.length === 0 && report.mode === 'backtest') return html``;
  if (charts.length === 0)
    return html`<section aria-labelledby="prices"><h2 id="prices">Prices, entries and exits</h2>
<p>No prices are drawn: a journal has no bars, and the bot kept none of this run. The trades below list entries and exits.</p></section>`;
  const options = charts.map(
    ({ symbol, currency }, index) => html`<option value="${index}">${symbol} (${currency})</option>`,
  );
  const left = charts.reduce((sum, { marksOmitted }) => sum + marksOmitted, 0);
  const more = [
    ...(chartsOmitted > 0
      ? [
          `${plural(chartsOmitted, 'symbol')} that traded less ${chartsOmitted === 1 ? 'is' : 'are'} not drawn`,
        ]
      : []),
    ...(left > 0 ? [`${left} later fills are not marked`] : []),
    ...charts.flatMap(({ note = [] }) => note),
    ...charts.flatMap(joinedText),
    ...seriesNotes,
    ...charts.flatMap(({ symbol, indicatorsOmitted = 0 }) =>
      indicatorsOmitted === 0
        ? []
        : [
            `${plural(indicatorsOmitted, 'more series', 'more series')} of ${symbol} ${indicatorsOmitted === 1 ? 'is' : 'are'} not drawn`,
          ],
    ),
  ];
  return html`<section aria-labelledby="prices"><h2 id="prices">Prices, entries and exits</h2>
<div class="controls"><label for="price-symbol">Symbol</label><select id="price-symbol">${options}</select><label><input type="checkbox" id="price-log"> Logarithmic scale</label></div>
<div id="price-chart" class="chart price" role="img" aria-label="Prices of the chosen symbol with its buys and sells, and the series of its strategy; the trades below list them"></div>
<p id="price-legend" class="soft legend"></p>
${valuesLine('price')}
<p class="soft">Arrows up are buys, arrows down sells.${charts.some(({ levels = [] }) => levels.length > 0) ? ' Dashed lines are the newest stop (red) and target (green) of a bracket, at the price that was sent.' : ''}${charts.some(({ indicators = [] }) => indicators.length > 0) ? ' Thin lines are what the strategy computed, at the close of each bar.' : ''} Neighbouring bars are joined where there are too many to draw.${more.length === 0 ? '' : ` ${sentence(more.join('; '))}`}</p></section>`;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** States how many fills the arrows of a chart represent, if fills were joined. */
function joinedText({ symbol, marks }: RunPage['charts'][number]): readonly string[] {
  const fills = marks.reduce((sum, [, , , , joined = 1]) => sum + joined, 0);
  if (fills === marks.length) return [];
  return [
    `the ${fills} fills of ${symbol} are drawn as ${plural(marks.length, 'arrow')}, one for all of a side at a bar`,
  ];
}
