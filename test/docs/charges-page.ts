import { basisText } from '../../src/backtest/charge-texts.ts';
import type { ChargeRow } from '../../src/markets/charge-row.ts';
import { CHARGE_SCHEDULES } from '../../src/markets/charge-schedules.ts';
import { MARKET_RECORDS } from '../../src/markets/market-records.ts';

const HEAD = `# Charges

What \`charges: standard\` takes from every order, in a backtest and on paper: the tables in each folder of \`src/markets/\`, from which this page is made (\`npx vitest run test/docs/charges.test.ts -u\`). Amounts are in the security's
currency, for each order and each day on which it trades; partial fills owe the difference. A fill's lines stand in its journal, the sums of a run
in its report under "Costs". A broker states charges
for the whole order: executions that are read together, as the two parts of an order that turns a position round, share them by quantity; the last takes
what rounding leaves.

- \`charges: authorities\` leaves the platform fee out. With a commission of your own that is another broker: \`charges: authorities\` and
  \`simulation: { commission: { perShare: 0.005, minimum: 1, maximumShare: 1% } }\`.
- \`charges: none\` leaves all of it out.
- "Sure" is our confidence in the figure: high is published by the authority, medium is believed, low is a guess that fits brokers of this kind. The platform
  fee is such a guess: the broker publishes none. Where its 1% is below its minimum, the minimum is taken.
- To the cent is half up; stamp duty goes up to the next whole dollar.
`;

const TABLE = `| Charge | On | From | Until | Rate | Bounds | Not on | Sure |
|---|---|---|---|---|---|---|---|`;

/** docs/charges.md: every row of the standard schedule, by market and charge, oldest first. */
export function chargesMarkdown(): string {
  const sections = MARKET_RECORDS.map(({ code: market, name: title }) => {
    const rows = CHARGE_SCHEDULES.standard.rows.filter((row) => row.market === market);
    return `## ${title}\n\n${TABLE}\n${rows.map(lineOf).join('\n')}\n`;
  });
  return [HEAD, ...sections].join('\n');
}

function lineOf({
  name,
  side,
  from,
  until,
  basis,
  minimum,
  maximum,
  maximumRatio,
  rounding,
  exempt,
  confidence,
}: ChargeRow): string {
  const bounds = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(maximumRatio === undefined ? [] : [`at most ${maximumRatio.times(100)}% of what is traded`]),
    rounding === 'whole-up' ? 'up to whole dollars' : 'to the cent',
  ];
  const cells = [
    ...[
      name,
      side === undefined ? 'both' : `${side}s`,
      from ?? '',
      until ?? '',
      rateOf(basis),
      bounds.join(', '),
    ],
    ...[(exempt ?? []).join(', '), confidence],
  ];
  return `| ${cells.join(' | ')} |`;
}

function rateOf(basis: ChargeRow['basis']): string {
  return basis.kind === 'per-order' ? `${basisText(basis)} an order` : basisText(basis);
}
