import { Decimal } from '../model/decimal.ts';

/**
 * In which order a bar visits its extremes. `nearer-first` is the house rule (the extreme nearer to the open comes first);
 * the other two exist to be as careful, or as kind, as another engine is.
 */
export type BarPath = 'nearer-first' | 'low-first' | 'high-first';

/**
 * How orders meet prints. What the model leaves out: market impact, queue position, the spread (there is one price, the
 * last), and everything that happened between two prints of a bar.
 */
export interface FillModel {
  readonly path: BarPath;
  /** Largest share of one print's volume that orders may take, 0 to 1; undefined fills in full whatever the volume. */
  readonly participation: number | undefined;
  /** Refuses prices off the market's tick ladder. */
  readonly checkTicks: boolean;
  /** Refuses quantities that are not whole lots (ODD: not below one lot). */
  readonly checkLots: boolean;
}

/** How long a request travels from acceptance to the exchange, in milliseconds of market time. */
export type LatencyModel =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly minMs: number; readonly maxMs: number };

/**
 * What an account may buy with. `cash`: only its own money in the security's currency, every position covered in full.
 * `margin`: the securities' factors, and a credit line of `financeMultiple` x the equity that the account opened with.
 * `none` checks nothing (cash may go negative), for replaying engines that do not check either.
 */
export interface MarginModel {
  readonly kind: 'cash' | 'margin' | 'none';
  readonly financeMultiple: Decimal;
  /** An order without a price is taken at last price x this, by market; other markets use `marketBufferElse`. */
  readonly marketBuffer: Readonly<Record<string, Decimal>>;
  readonly marketBufferElse: Decimal;
}

/** Full quantity, nearer extreme first, ticks and lots checked. */
export const PRINT_FILLS: FillModel = {
  path: 'nearer-first',
  participation: undefined,
  checkTicks: true,
  checkLots: true,
};

export const NO_LATENCY: LatencyModel = { kind: 'none' };

const BUFFERS = {
  marketBuffer: { HK: new Decimal('1.05'), US: new Decimal('1.01') },
  marketBufferElse: new Decimal('1.05'),
};

/** No credit: what is bought is paid. @see reference: HTTP API 3.10 (buffers) */
export const CASH_ACCOUNT: MarginModel = { kind: 'cash', financeMultiple: new Decimal(0), ...BUFFERS };

/** Credit of once the opening equity. @see reference: HTTP API 10.8, 13 row 20 */
export const MARGIN_ACCOUNT: MarginModel = { kind: 'margin', financeMultiple: new Decimal(1), ...BUFFERS };

/** Nothing is checked; for replaying other engines' runs. */
export const UNCHECKED_ACCOUNT: MarginModel = { kind: 'none', financeMultiple: new Decimal(0), ...BUFFERS };
