import { Decimal } from '../model/decimal.ts';
import type { Money } from '../model/money.ts';
import type { OutsideRth } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';

/** What a limit is, by its unit. */
export interface LimitValues {
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
  /** The farthest session that is meant; each includes those before it. */
  readonly sessions: OutsideRth;
  readonly symbols: readonly SecuritySymbol[];
}
export type LimitUnit = keyof LimitValues;

/** One limit as it is declared: all that config, gate and docs know of it. */
export interface LimitDeclaration<U extends LimitUnit = LimitUnit> {
  readonly unit: U;
  /** The defaults of a config, which are strict. An amount is in the account's currency. */
  readonly default: U extends 'money' ? Decimal : LimitValues[U];
  /** The number that it is held against, or what it does. */
  readonly compares: string;
  /** Name of the rule that reads it. */
  readonly rule: string;
  /** The most that a config may write, in percent, as a count, per minute, or in milliseconds; the least is above nothing. */
  readonly max: number;
}

type Words = Pick<LimitDeclaration, 'compares' | 'rule'>;

/** How the limits are written down: a figure as a config would write it, the most that one may write, and words. */
export const limit = {
  money: (figure: string, words: Words): LimitDeclaration<'money'> => ({
    ...words,
    unit: 'money',
    default: new Decimal(figure),
    max: Number.POSITIVE_INFINITY,
  }),
  share: (percent: number, max: number, words: Words): LimitDeclaration<'share'> => ({
    ...words,
    unit: 'share',
    default: new Decimal(percent).div(100),
    max,
  }),
  quantity: (shares: number, words: Words): LimitDeclaration<'quantity'> => ({
    ...words,
    unit: 'quantity',
    default: new Decimal(shares),
    max: Number.POSITIVE_INFINITY,
  }),
  count: (count: number, max: number, words: Words): LimitDeclaration<'count'> => ({
    ...words,
    unit: 'count',
    default: count,
    max,
  }),
  rate: (perMinute: number, max: number, words: Words): LimitDeclaration<'rate'> => ({
    ...words,
    unit: 'rate',
    default: perMinute,
    max,
  }),
  duration: (ms: number, max: number, words: Words): LimitDeclaration<'duration'> => ({
    ...words,
    unit: 'duration',
    default: ms,
    max,
  }),
  flag: (words: Words): LimitDeclaration<'flag'> => ({ ...words, unit: 'flag', default: false, max: 1 }),
  sessions: (words: Words): LimitDeclaration<'sessions'> => ({
    ...words,
    unit: 'sessions',
    default: 'rth-only',
    max: 1,
  }),
  symbols: (max: number, words: Words): LimitDeclaration<'symbols'> => ({
    ...words,
    unit: 'symbols',
    default: [],
    max,
  }),
};
