import { commissionRow } from '#src/markets/charge-schedules.ts';
import type { BarColumns } from '#src/model/bar.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { Decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import type { BidAskColumns } from '#src/simulation/market/bid-ask.ts';
import { CASH_ACCOUNT, NO_LATENCY, PRINT_FILLS } from '#src/simulation/models.ts';
import type { SimulationModels } from '#src/simulation/simulation-options.ts';
import { readActions } from './corporate-events.ts';
import { BAR_NAMES, readRows, toColumns } from './csv-bars.ts';
import type { OracleRow } from './indicators.ts';
import { periodOf } from './oracle-bars.ts';
import { type Recipe, recipeOf } from './recipe.ts';
import { Stage } from './stage.ts';

/** A run whose figures a third party has published. */
export interface PublishedRun {
  readonly id: string;
  readonly published: Readonly<Record<string, number | string>>;
  /** Files and days, such as `SPY.US/1m.csv.gz + SPY.US/quotes.1m.csv.gz, 2013-10-07..2013-10-11`. */
  readonly data: string;
  readonly price_factor?: number;
  /** A description of the arithmetic. */
  readonly how?: string;
}

/**
 * All differences between our run and the published figures; empty if they agree. Throws RangeError if a run's `how`
 * is incomplete.
 */
export function publishedDifferences(run: PublishedRun, dataFolder: string): readonly string[] {
  const recipe = recipeOf(run);
  const { bars, bidAsk, actions } = publishedInputs(run, dataFolder);
  const models = modelsOf(recipe);
  const stage = new Stage({ bars: [bars], cash: recipe.cash, models, actions, bidAsk });
  stage.play(0);
  const price = askAfterFirstBar(bars, bidAsk) ?? bars.close[0] ?? Number.NaN;
  const quantity = new Decimal(recipe.units(price));
  stage.send(1, { symbol: bars.symbol, side: 'buy', type: 'MO', quantity, timeInForce: 'day' }, {});
  stage.settle(0);
  for (let bar = 1; bar < bars.length; bar += 1) stage.play(bar);
  const got: Readonly<Record<string, number>> = {
    'Total Orders': stage.fills.length,
    'End Equity': cents(stage.equity.at(-1) ?? Number.NaN),
    'Total Fees': cents(stage.fills.reduce((sum, { commission }) => sum + commission.toNumber(), 0)),
  };
  return Object.entries(got).flatMap(([name, figure]) =>
    run.published[name] === figure ? [] : [`${name}: want ${run.published[name]}, got ${figure}`],
  );
}

/** The ask when the first bar has closed; undefined if it is not recorded. */
function askAfterFirstBar({ time }: BarColumns, [quotes]: readonly BidAskColumns[]): number | undefined {
  const place = quotes?.time.findIndex((stamp) => stamp > (time[0] ?? Number.NaN)) ?? -1;
  return quotes?.ask[place];
}

function cents(amount: number): number {
  return Number(amount.toFixed(2));
}

/** Ticks in exchange hours. Adjusted prices need not be on price steps, and cash is checked without a buffer. */
function modelsOf({ minimumFee, feePerShare }: Recipe): SimulationModels {
  const perShare = new Decimal(feePerShare);
  const minimum = new Decimal(minimumFee);
  return {
    fills: { ...PRINT_FILLS, checkTicks: false },
    charges: { name: 'published', rows: [commissionRow({ kind: 'per-share', perShare, minimum })] },
    latency: NO_LATENCY,
    margin: { ...CASH_ACCOUNT, marketBuffer: {}, marketBufferElse: new Decimal(1) },
  };
}

/** Inputs of a published run. */
export interface Inputs {
  readonly bars: BarColumns;
  readonly bidAsk: readonly BidAskColumns[];
  readonly actions: readonly CorporateAction[];
}

/** The bars, quotes and dividends of a published run, cut to its days. Throws RangeError if something is missing. */
export function publishedInputs(run: PublishedRun, folder: string): Inputs {
  const recipe = recipeOf(run);
  const [barsFile = '', ...others] = run.data.match(/\S+\.csv(?:\.gz)?/g) ?? [];
  const [, from = '', to = ''] = /(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)/.exec(run.data) ?? [];
  const code = barsFile.split('/')[0] ?? '';
  const within = ({ timestamp = '' }: OracleRow): boolean =>
    timestamp.slice(0, 10) >= from && timestamp.slice(0, 10) <= to;
  const rows = readRows(`${folder}/${barsFile}`, BAR_NAMES).filter(within);
  const [first] = rows;
  if (first === undefined) throw new RangeError(`Cannot replay "${run.id}", its data has no row in its days`);
  const day = first['timestamp']?.slice(0, 10);
  if (recipe.decided !== undefined && recipe.decided !== day)
    throw new RangeError(
      `Cannot replay "${run.id}": decided on ${recipe.decided}, but its days begin on ${day}`,
    );
  const factor = run.price_factor ?? 1;
  const bars = scaled(toColumns(rows, code, periodOf(barsFile)), factor);
  const named = (part: string): readonly string[] => others.filter((file) => file.includes(part));
  return {
    bars,
    bidAsk: named('/quotes').map((file) =>
      bidAskOf(code, readRows(`${folder}/${file}`, QUOTE_NAMES).filter(within), factor),
    ),
    actions: named('/events')
      .flatMap((file) => readActions(`${folder}/${file}`, code))
      .map((action) => (recipe.inCents ? inCents(action) : action)),
  };
}

const QUOTE_NAMES = ['timestamp', 'bid', 'ask'];

function bidAskOf(code: string, quotes: readonly OracleRow[], factor: number): BidAskColumns {
  const column = (name: string): Float64Array =>
    Float64Array.from(quotes, (row) => Number(row[name]) * factor);
  return {
    symbol: securitySymbol(code),
    length: quotes.length,
    time: Float64Array.from(quotes, ({ timestamp = '' }) => Date.parse(timestamp)),
    bid: column('bid'),
    ask: column('ask'),
  };
}

function scaled(bars: BarColumns, factor: number): BarColumns {
  const times = (column: Float64Array): Float64Array => column.map((price) => price * factor);
  return {
    ...bars,
    open: times(bars.open),
    high: times(bars.high),
    low: times(bars.low),
    close: times(bars.close),
  };
}

/** Dividends as the publisher counts them: whole cents, half to even. */
function inCents(action: CorporateAction): CorporateAction {
  if (action.kind !== 'dividend') return action;
  return { ...action, perShare: action.perShare.toDecimalPlaces(2, Decimal.ROUND_HALF_EVEN) };
}
