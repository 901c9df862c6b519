import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

/** The result of an independent engine over real data: one file of the oracles, by the schema in their README. */
export interface Oracle {
  readonly schema: number;
  readonly id: string;
  readonly engine: { readonly name: string };
  readonly data: readonly OracleData[];
  readonly events?: readonly { readonly file: string }[] | null;
  readonly account: OracleAccount;
  readonly execution: Readonly<Record<string, string>>;
  readonly orders: readonly OracleOrder[];
  readonly fills: readonly OracleFill[];
  readonly trades: readonly OracleTrade[];
  readonly open_trades: readonly OracleOpenTrade[];
  readonly corporate_actions?: readonly OracleAction[] | null;
  readonly result: Readonly<Record<string, unknown>>;
  readonly equity_csv: string;
}

export interface OracleData {
  readonly code: string;
  readonly file: string;
  readonly rows: number;
  readonly sha256?: string;
  readonly from: string;
  readonly to: string;
}

/** Rates and sums are in the account's only currency. */
export interface OracleAccount {
  readonly cash: number;
  readonly commission_rate?: Figure;
  readonly spread_rate?: Figure;
  readonly hedging?: boolean | null;
  /** Market orders fill at the close at which they were sent. */
  readonly trade_on_close?: boolean | null;
  /** Margin as a share of a position's value; 1 if absent. */
  readonly margin?: Figure;
  readonly commission?:
    | { readonly kind: 'percent'; readonly rate: number }
    | { readonly kind: 'per_share'; readonly per_share: number; readonly minimum_per_order?: Figure }
    | null;
}

type Figure = number | null;

/** A recorded order; fields that an engine does not have are absent or null. */
export interface OracleOrder {
  readonly id: number;
  /** The bar at whose end it was sent. */
  readonly bar: number;
  readonly code?: string;
  readonly side: 'buy' | 'sell';
  readonly type: string;
  readonly size?: Figure;
  readonly units?: Figure;
  readonly size_fraction?: Figure;
  readonly limit?: Figure;
  readonly stop?: Figure;
  readonly sl?: Figure;
  readonly tp?: Figure;
  readonly trail_percent?: Figure;
  /** A distance in money, instead of a share of the price. */
  readonly trail_amount?: Figure;
  readonly valid_until?: string | null;
  readonly parent?: Figure;
  readonly closes_trade?: Figure;
  readonly by?: 'strategy' | 'engine';
  readonly status: string;
  readonly ended_bar?: Figure;
}

export interface OracleFill {
  /** Null for what the engine did without an order when equity was used up. */
  readonly order: number | null;
  readonly code?: string;
  readonly trade?: number;
  readonly action?: 'open' | 'close';
  readonly bar: number;
  readonly side: 'buy' | 'sell';
  readonly units: number;
  readonly price: number;
  readonly commission: number;
}

export interface OracleTrade {
  readonly code?: string;
  readonly side: 'long' | 'short';
  readonly units: number;
  readonly entry_bar: number;
  readonly exit_bar: number;
  readonly entry_price: number;
  readonly exit_price: number;
  readonly gross_pnl: number;
  readonly commission: number;
  readonly net_pnl: number;
}

export interface OracleOpenTrade {
  readonly code?: string;
  readonly side: 'long' | 'short';
  readonly units: number;
  readonly entry_bar?: number;
  readonly entry_price?: number;
}

export interface OracleAction {
  readonly bar: number;
  readonly type: 'dividend' | 'split';
  readonly cash?: number;
  readonly units_after?: number;
  readonly cash_in_lieu?: number;
}

/** Maximum of sums, prices and quantities: beyond it a double cannot distinguish two units. */
const LARGEST = 1e15;

const figure = z.number().min(-LARGEST).max(LARGEST);
const maybe = figure.nullish();
const side = z.enum(['buy', 'sell']);
const direction = z.enum(['long', 'short']);
const bar = z.int().min(0);
const stamp = z
  .string()
  .refine((text) => Number.isFinite(Date.parse(text)), 'Invalid input: expected a day or an instant');

/** One input file, with its first and last row. */
export const ORACLE_DATA = z.looseObject({ code: z.string(), file: z.string(), from: stamp, to: stamp });

const account = z.looseObject({
  cash: figure.positive(),
  ...{ commission_rate: maybe, spread_rate: maybe, hedging: z.boolean().nullish() },
  trade_on_close: z.boolean().nullish(),
  margin: figure.positive().max(1).nullish(),
  commission: z
    .discriminatedUnion('kind', [
      z.looseObject({ kind: z.literal('percent'), rate: figure }),
      z.looseObject({ kind: z.literal('per_share'), per_share: figure, minimum_per_order: maybe }),
    ])
    .nullish(),
});

/** Fields of an oracle that a replay reads; others are ignored. */
const ORACLE = z.looseObject({
  schema: z.literal(1),
  id: z.string(),
  engine: z.looseObject({ name: z.string() }),
  data: z.array(ORACLE_DATA).min(1),
  events: z.array(z.looseObject({ file: z.string() })).nullish(),
  account,
  execution: z.record(z.string(), z.string()),
  orders: z.array(
    z.looseObject({
      ...{ id: z.int(), bar, side, type: z.string(), status: z.string() },
      ...{ size: maybe, units: maybe, size_fraction: maybe, limit: maybe, stop: maybe, sl: maybe, tp: maybe },
      ...{
        trail_percent: maybe,
        trail_amount: maybe,
        valid_until: stamp.nullish(),
        parent: maybe,
        closes_trade: maybe,
      },
    }),
  ),
  fills: z.array(
    z.looseObject({ order: z.int().nullable(), bar, side, units: figure, price: figure, commission: figure }),
  ),
  trades: z.array(
    z.looseObject({
      ...{ side: direction, units: figure, entry_bar: bar, exit_bar: bar, entry_price: figure },
      ...{ exit_price: figure, gross_pnl: figure, commission: figure, net_pnl: figure },
    }),
  ),
  open_trades: z.array(z.looseObject({ side: direction, units: figure })),
  corporate_actions: z.array(z.looseObject({ cash: figure.optional() })).nullish(),
  result: z.looseObject({ final_equity: figure }),
  equity_csv: z.string(),
});

/** Reads one oracle; throws RangeError that names what is missing or wrong, and where. */
export function readOracle(path: string): Oracle {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const { data, error } = ORACLE.safeParse(readJson(path));
  const [issue] = error?.issues ?? [];
  if (issue !== undefined)
    throw new RangeError(
      `Cannot replay "${name}": at ${issue.path.join('.') || 'the top'}: ${issue.message}`,
    );
  const oracle = data as unknown as Oracle;
  const [first] = dangling(oracle);
  if (first !== undefined) throw new RangeError(`Cannot replay "${name}": ${first}`);
  return oracle;
}

/** The names of the JSON files in a folder, without `.json` or `.json.gz`, sorted. */
export function jsonNames(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => JSON_FILE.test(file))
    .toSorted()
    .map((file) => file.replace(JSON_FILE, ''));
}

const JSON_FILE = /\.json(?:\.gz)?$/;

/**
 * Reads `path`, or the gzipped `path.gz` if only that exists, as JSON; throws RangeError with the file's name if it
 * is invalid.
 */
export function readJson(path: string): unknown {
  try {
    const text = existsSync(path)
      ? readFileSync(path, 'utf8')
      : gunzipSync(readFileSync(`${path}.gz`)).toString();
    return JSON.parse(text.replace(BYTE_ORDER_MARK, '').replace(NO_NUMBER, '$1null'));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RangeError(`Cannot read "${path.slice(path.lastIndexOf('/') + 1)}" as JSON: ${why}`, { cause });
  }
}

const BYTE_ORDER_MARK = /^\uFEFF/;

/** What Python writes for a figure without a value, which is not valid JSON. */
const NO_NUMBER = /((?:^|[,:[])\s*)(?:NaN|-?Infinity)(?=\s*[,}\]])/g;

/** References of an oracle to missing items: an order, a parent, a bar after the last. */
function* dangling({ orders, fills, data }: Oracle): Generator<string> {
  const ids = new Set(orders.map(({ id }) => id));
  if (ids.size !== orders.length) yield 'two orders have one id';
  const before = new Set<number>();
  for (const { id, parent } of orders) {
    if (parent != null && !before.has(parent))
      yield `order ${id} is a child of order ${parent}, which is not there before it`;
    before.add(id);
  }
  const opened = new Set(fills.filter(({ action }) => action === 'open').map(({ trade }) => trade));
  const lost = orders.find(({ closes_trade }) => closes_trade != null && !opened.has(closes_trade));
  if (lost !== undefined) yield `order ${lost.id} closes trade ${lost.closes_trade}, which no fill opens`;
  const orphan = fills.find(({ order }) => order !== null && !ids.has(order));
  if (orphan !== undefined)
    yield `a fill of bar ${orphan.bar} is of order ${orphan.order}, which is not there`;
  const rows = data[0]?.rows ?? Number.POSITIVE_INFINITY;
  const late = [...orders, ...fills].find(({ bar }) => bar >= rows);
  if (late !== undefined) yield `bar ${late.bar} is named, but there are ${rows}`;
}
