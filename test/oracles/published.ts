import { commissionRow } from '#src/markets/charge-schedules.ts';
import type { BarColumns } from '#src/model/bar.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { Decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import type { BidAskColumns } from '#src/simulation/bid-ask.ts';
import { CASH_ACCOUNT, NO_LATENCY, PRINT_FILLS } from '#src/simulation/models.ts';
import type { SimulationModels } from '#src/simulation/simulation-options.ts';
import { readActions } from './corporate-events.ts';
import { readRows, toColumns } from './csv-bars.ts';
import { periodOf } from './oracle-bars.ts';
import { Stage } from './stage.ts';

/** A run whose figures a third party has published, with the arithmetic in words. */
export interface PublishedRun {
  readonly id: string;
  readonly published: Readonly<Record<string, number | string>>;
  /** Files and days, such as `SPY.US/1m.csv.gz + SPY.US/quotes.1m.csv.gz, 2013-10-07..2013-10-11`. */
  readonly data: string;
  readonly price_factor?: number;
}

/** What every published run is: so much cash, one order at the end of the first bar, held to the end. */
interface Recipe {
  readonly units: (cash: number, ask: number) => number;
  readonly minimumFee: number;
  readonly place: 'quotes' | 'events';
}

const CASH = 100_000;
const FEE_PER_SHARE = 0.005;

/** Recipes by id: `how` of the file in figures. */
const RECIPES: Readonly<Record<string, Recipe>> = {
  'lean-basic-template': {
    units: (cash, ask) => Math.floor((cash * 0.9975) / ask),
    minimumFee: 1,
    place: 'quotes',
  },
  'lean-dividend-regression': { units: () => 512, minimumFee: 0, place: 'events' },
};

/** Everything in which our run differs from the published figures; empty when it agrees. Throws for an unknown run. */
export function publishedDifferences(run: PublishedRun, dataFolder: string): readonly string[] {
  const recipe = recipeOf(run);
  const { bars, bidAsk, actions } = publishedInputs(run, dataFolder);
  const models = modelsOf(recipe);
  const stage = new Stage({ bars: [bars], cash: CASH, models, actions, bidAsk });
  stage.play(0);
  const quantity = new Decimal(recipe.units(CASH, askAfterFirstBar(bars, bidAsk)));
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

function recipeOf({ id }: PublishedRun): Recipe {
  const recipe = RECIPES[id];
  if (recipe === undefined) throw new RangeError(`Cannot replay "${id}": its "how" has no recipe here`);
  return recipe;
}

/** What a buyer is asked for when the first bar has closed; NaN where nobody noted it. */
function askAfterFirstBar({ time }: BarColumns, [quotes]: readonly BidAskColumns[]): number {
  const place = quotes?.time.findIndex((stamp) => stamp > (time[0] ?? Number.NaN)) ?? -1;
  return quotes?.ask[place] ?? Number.NaN;
}

function cents(amount: number): number {
  return Number(amount.toFixed(2));
}

/** Prints in the calendar's hours; only ticks are not asked of adjusted prices, and cash is counted without a buffer. */
function modelsOf({ minimumFee }: Recipe): SimulationModels {
  const perShare = new Decimal(FEE_PER_SHARE);
  const minimum = new Decimal(minimumFee);
  return {
    fills: { ...PRINT_FILLS, checkTicks: false },
    charges: { name: 'published', rows: [commissionRow({ kind: 'per-share', perShare, minimum })] },
    latency: NO_LATENCY,
    margin: { ...CASH_ACCOUNT, marketBuffer: {}, marketBufferElse: new Decimal(1) },
  };
}

/** What a published run was fed with. */
export interface Inputs {
  readonly bars: BarColumns;
  readonly bidAsk: readonly BidAskColumns[];
  readonly actions: readonly CorporateAction[];
}

/** The bars, quotes and dividends of a published run, cut to its days. Throws for an unknown run. */
export function publishedInputs(run: PublishedRun, folder: string): Inputs {
  const recipe = recipeOf(run);
  const [barsFile = '', otherFile = ''] = run.data.match(/\S+\.csv(?:\.gz)?/g) ?? [];
  const [, from = '', to = ''] = /(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)/.exec(run.data) ?? [];
  const code = barsFile.split('/')[0] ?? '';
  const within = ({ timestamp = '' }): boolean =>
    timestamp.slice(0, 10) >= from && timestamp.slice(0, 10) <= to;
  const rows = readRows(`${folder}/${barsFile}`).filter(within);
  const factor = run.price_factor ?? 1;
  const bars = scaled(toColumns(rows, code, periodOf(barsFile)), factor);
  if (recipe.place === 'events') {
    return { bars, bidAsk: [], actions: readActions(`${folder}/${otherFile}`, code).map(inCents) };
  }
  const quotes = readRows(`${folder}/${otherFile}`).filter(within);
  const column = (name: string): Float64Array =>
    Float64Array.from(quotes, (row) => Number(row[name]) * factor);
  const bidAsk: BidAskColumns = {
    symbol: securitySymbol(code),
    length: quotes.length,
    time: Float64Array.from(quotes, ({ timestamp = '' }) => Date.parse(timestamp)),
    bid: column('bid'),
    ask: column('ask'),
  };
  return { bars, bidAsk: [bidAsk], actions: [] };
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
