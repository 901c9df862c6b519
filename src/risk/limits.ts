import { Decimal } from '../model/decimal.ts';
import type { Money } from '../model/money.ts';
import type { OutsideRth } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../model/time.ts';

/** Value types of limits, by unit. */
interface LimitValues {
  /** An amount in the account's currency. */
  readonly money: Money;
  /** A share, 0.2 for 20 %. */
  readonly share: Decimal;
  /** A number of shares of a security. */
  readonly quantity: Decimal;
  readonly count: number;
  /** A number per minute. */
  readonly rate: number;
  /** Milliseconds of market time. */
  readonly duration: number;
  readonly flag: boolean;
  /** The widest session that is allowed; each includes those before it. */
  readonly sessions: OutsideRth;
  readonly symbols: readonly SecuritySymbol[];
}
export type LimitUnit = keyof LimitValues;

/** Declaration of one limit, used by config, gate and documentation. */
export interface LimitDeclaration<U extends LimitUnit = LimitUnit> {
  readonly unit: U;
  /** Default of a config; the defaults are strict. An amount is in the account's currency. */
  readonly default: U extends 'money' ? Decimal : LimitValues[U];
  /** What it is compared with, or what it does. */
  readonly compares: string;
  /** Name of the rule that reads it. */
  readonly rule: string;
  /**
   * Maximum that a config may set, in percent, as a count, per minute, or in milliseconds; the minimum is above zero.
   */
  readonly max: number;
}

type Words = Pick<LimitDeclaration, 'compares' | 'rule'>;

/** Declares a limit: its unit, default, maximum and texts. */
function limit<U extends LimitUnit>(
  unit: U,
  usual: LimitDeclaration<U>['default'],
  max: number,
  words: Words,
): LimitDeclaration<U> {
  return { ...words, unit, default: usual, max };
}

const percent = (share: number): Decimal => new Decimal(share).div(100);

/** Maximum number of orders that a limit per window can count; that many are remembered. */
const COUNTED_MAX = 1_000;

/**
 * The operator's limits for every strategy, declared once: the config's keys, units, bounds, defaults and
 * documentation, and the table in docs/risk.md. "Worst position" and "exposure" count every open, unknown and
 * abandoned order as completely filled, and every pending cancel as failed. @see docs/reliability.md, I-5, I-6, I-15
 */
export const LIMITS = {
  maxOrderNotional: limit('money', new Decimal(20_000), Number.POSITIVE_INFINITY, {
    rule: 'max-order-notional',
    compares: "one order's quantity x price (its own, else the quote), at the account's rate",
  }),
  maxOrderQuantity: limit('quantity', new Decimal(10_000), Number.POSITIVE_INFINITY, {
    rule: 'max-order-quantity',
    compares: "one order's quantity",
  }),
  maxPositionWeight: limit('share', percent(20), 500, {
    rule: 'max-position-weight',
    compares: "a symbol's worst position x price, as a share of equity",
  }),
  maxPositionQuantity: limit('quantity', new Decimal(20_000), Number.POSITIVE_INFINITY, {
    rule: 'max-position-quantity',
    compares: "a symbol's worst position",
  }),
  maxGrossExposure: limit('share', percent(100), 500, {
    rule: 'max-gross-exposure',
    compares: 'the sum of all worst positions x price, long and short alike, as a share of equity',
  }),
  maxNetExposure: limit('share', percent(100), 500, {
    rule: 'max-net-exposure',
    compares: 'the worst of all longs less all shorts x price, as a share of equity',
  }),
  maxOpenOrders: limit('count', 10, 1_000, {
    rule: 'max-open-orders',
    compares: 'orders open or unknown, this one included',
  }),
  maxOrderRate: limit('rate', 10, COUNTED_MAX, {
    rule: 'order-rate',
    compares:
      'orders that passed within the last minute, this one included; for one that only reduces, those of its symbol and side; exits of brackets are counted by bracket',
  }),
  maxRepeats: limit('count', 3, COUNTED_MAX, {
    rule: 'duplicate-order',
    compares:
      'orders of the same symbol, side, type, prices and quantity within repeatWindow, this one included; exits of brackets are counted by bracket',
  }),
  repeatWindow: limit('duration', MINUTE_MS, HOUR_MS, {
    rule: 'duplicate-order',
    compares: 'how far back maxRepeats counts',
  }),
  priceCollar: limit('share', percent(5), 50, {
    rule: 'price-collar',
    compares:
      "distance of the order's price from the quote, of a target's from its trigger, as a share of that",
  }),
  maxQuoteJump: limit('share', percent(20), 100, {
    rule: 'quote-jump',
    compares:
      'distance of the quote from the last believed price, else from the newest close, as a share of it; farther ones need three updates that agree',
  }),
  maxSession: limit('sessions', 'rth-only', 1, {
    rule: 'session',
    compares: 'the farthest session that an order may ask for',
  }),
  restricted: limit('symbols', [], 500, {
    rule: 'restricted',
    compares: 'symbols of which no position is opened or enlarged',
  }),
  allowShort: limit('flag', false, 1, {
    rule: 'no-short',
    compares: 'whether more may be sold than is held and free',
  }),
  useMargin: limit('flag', false, 1, {
    rule: 'buy-limit',
    compares: "whether the venue's credit may be used; if not, its estimate for cash alone holds",
  }),
  marginHeadroom: limit('share', percent(5), 100, {
    rule: 'margin-headroom',
    compares: "what is left of buy power after the order's initial margin, as a share of buy power; at least",
  }),
  maxDailyLoss: limit('share', percent(2), 100, {
    rule: 'daily-loss',
    compares: "loss since the exchange day began (or since a resume), as a share of that day's first equity",
  }),
  maxDrawdown: limit('share', percent(20), 100, {
    rule: 'drawdown',
    compares: 'fall of equity from its peak among all orders judged, as a share of the peak',
  }),
  maxUnattendedFills: limit('count', 200, 10_000, {
    rule: 'runaway',
    compares: 'fills within 24 hours and since an operator last resumed',
  }),
  maxBreaches: limit('count', 10, COUNTED_MAX, {
    rule: 'repeated-breach',
    compares: 'opening orders denied by a limit within breachWindow, this one included',
  }),
  breachWindow: limit('duration', MINUTE_MS, HOUR_MS, {
    rule: 'repeated-breach',
    compares: 'how far back maxBreaches counts',
  }),
  maxQuoteAge: limit('duration', 3 * SECOND_MS, HOUR_MS, {
    rule: 'stale-quote',
    compares: 'age of the quote, in trading time, since its successor was due',
  }),
  maxEstimateAge: limit('duration', 5 * SECOND_MS, MINUTE_MS, {
    rule: 'stale-estimate',
    compares: "age of the venue's buy-limit estimate for this very symbol, side, type and price",
  }),
  maxBalanceAge: limit('duration', 10 * SECOND_MS, 10 * MINUTE_MS, {
    rule: 'stale-balance',
    compares: 'age of the account balance',
  }),
  maxPositionsAge: limit('duration', MINUTE_MS, HOUR_MS, {
    rule: 'stale-positions',
    compares: "time since our positions agreed with the venue's",
  }),
  maxMarginAge: limit('duration', 15 * MINUTE_MS, DAY_MS, {
    rule: 'stale-margin',
    compares: "age of the symbol's margin ratio",
  }),
} as const satisfies Readonly<Record<string, LimitDeclaration<LimitUnit>>>;

/** Name of a limit in a config. */
export type LimitName = keyof typeof LIMITS;

/** Every limit with its value; a config's absent limits have the strict default. */
export type RiskLimits = {
  readonly [K in LimitName]: LimitValues[(typeof LIMITS)[K]['unit']];
};

/** The strict defaults; amounts are in the account's currency. */
export function defaultLimits(currency: string): RiskLimits {
  const entries = Object.entries(LIMITS).map(([name, declared]) => [
    name,
    declared.unit === 'money' ? { amount: declared.default, currency } : declared.default,
  ]);
  return Object.fromEntries(entries) as RiskLimits;
}
