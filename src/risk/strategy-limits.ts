import { Decimal, type Price, type Quantity } from '../model/decimal.ts';
import type { OrderIntent } from '../model/order.ts';
import type { RiskNumber } from '../model/risk-number.ts';
import type { Exposure } from './facts.ts';
import type { RiskLimits } from './limits.ts';
import type { Denial } from './risk-gate.ts';
import { money, number, percent, projectedRange, shares } from './rule.ts';

/** Limits that one of several strategies may have in addition to those of the account. */
export const STRATEGY_LIMITS = [
  'maxOrderNotional',
  'maxOrderQuantity',
  'maxPositionWeight',
  'maxPositionQuantity',
  'maxGrossExposure',
  'maxNetExposure',
  'maxOpenOrders',
  'maxOrderRate',
  'maxDailyLoss',
  'allowShort',
  'restricted',
] as const satisfies readonly (keyof RiskLimits)[];

/** What a strategy's own part of the account may come to; what is absent is bounded by the account's limits alone. */
export type StrategyLimits = Partial<Pick<RiskLimits, (typeof STRATEGY_LIMITS)[number]>>;

/** Positions and working orders of one strategy at one moment. */
export interface StrategyLimitFacts {
  /** Signed shares held of the order's symbol. */
  readonly held: Quantity;
  /** Shares that its open orders of the symbol may still buy and sell. */
  readonly openBuys: Quantity;
  readonly openSells: Quantity;
  /** Its open orders, of all symbols, without the one that is replaced. */
  readonly openOrders: number;
  /** Its orders that passed the gate within the last minute. */
  readonly ordersInMinute: number;
  /** The dearer of the order's price and the quote; undefined before the first. */
  readonly price: Price | undefined;
  /** Account currency per unit of the security's currency. */
  readonly rate: Decimal | undefined;
  /** Account currency per unit of the currency of an amount. */
  readonly rateOf: (currency: string) => Decimal | undefined;
  /** Equity of the whole account, which shares are of. */
  readonly equity: Decimal;
  /** Its other symbols; undefined when a price or a rate is missing. */
  readonly others: Exposure | undefined;
  /** What it made since the exchanges' day began; undefined: unknown. */
  readonly dayProfit: Decimal | undefined;
}

/** What an order could make of the strategy's own part. */
interface ProjectedPosition extends StrategyLimitFacts {
  readonly intent: OrderIntent;
  readonly longest: Quantity;
  readonly shortest: Quantity;
  /** Worth of a number of shares, in the account's currency; undefined where price or rate is missing. */
  readonly worth: (quantity: Quantity) => Decimal | undefined;
}

/** A number, the limit it is held against, and whether it is broken. */
interface Found {
  readonly number: RiskNumber;
  readonly broken: boolean;
}

type StrategyLimitRule = (
  projected: ProjectedPosition,
  limits: StrategyLimits,
) => Found | 'unknown' | undefined;

/**
 * Judges an order by its strategy's own limits: the first that it breaks, or undefined. Orders that only take the strategy's
 * own position back pass, like those that close an account's.
 */
export function judgeStrategyLimits(
  intent: OrderIntent,
  facts: StrategyLimitFacts,
  limits: StrategyLimits,
): Denial | undefined {
  const { longest, shortest } = projectedRange(intent.terms, facts);
  const opens = intent.terms.side === 'buy' ? longest.gt(0) : shortest.lt(0);
  if (!opens || intent.purpose === 'flatten') return undefined;
  const worth = (count: Quantity): Decimal | undefined =>
    facts.price === undefined || facts.rate === undefined
      ? undefined
      : count.times(facts.price).times(facts.rate);
  const projected: ProjectedPosition = { ...facts, intent, longest, shortest, worth };
  for (const [name, rule] of Object.entries(RULES)) {
    const found = rule(projected, limits);
    if (found === undefined || (found !== 'unknown' && !found.broken)) continue;
    return denial(intent, name, found === 'unknown' ? undefined : found.number);
  }
  return undefined;
}

function denial(intent: OrderIntent, name: string, broken: RiskNumber | undefined): Denial {
  const ownerText = `Own limit of "${intent.strategy}"`;
  const reason =
    broken === undefined
      ? `${ownerText}: nothing is known to judge "${intent.terms.symbol}" by, a price or a rate is missing`
      : `${ownerText}: ${broken.name} could become ${broken.value}, limit is ${broken.limit}`;
  return {
    kind: 'denied',
    intent,
    rule: `own-${name}`,
    reason,
    numbers: broken === undefined ? [] : [broken],
  };
}

const RULES: Readonly<Record<string, StrategyLimitRule>> = {
  restricted: ({ intent }, { restricted }) => {
    if (restricted === undefined) return undefined;
    const { symbol } = intent.terms;
    return {
      number: number(`position of "${symbol}"`, 'larger', 'as it is'),
      broken: restricted.includes(symbol),
    };
  },
  'no-short': ({ shortest }, { allowShort }) =>
    allowShort === false
      ? { number: number('position', shares(shortest), 'none that is short'), broken: shortest.lt(0) }
      : undefined,
  'max-order-quantity': ({ intent }, { maxOrderQuantity: most }) =>
    atMost('order', intent.terms.quantity, most),
  'max-position-quantity': ({ longest, shortest }, { maxPositionQuantity: most }) =>
    atMost('position', Decimal.max(longest.abs(), shortest.abs()), most),
  'max-open-orders': ({ openOrders }, { maxOpenOrders: most }) =>
    most === undefined
      ? undefined
      : {
          number: number('open orders', String(openOrders + 1), String(most)),
          broken: openOrders + 1 > most,
        },
  'order-rate': ({ ordersInMinute }, { maxOrderRate: most }) =>
    most === undefined
      ? undefined
      : {
          number: number('orders within a minute', String(ordersInMinute + 1), String(most)),
          broken: ordersInMinute + 1 > most,
        },
  'max-order-notional': ({ intent, worth, rateOf }, { maxOrderNotional: most }) => {
    if (most === undefined) return undefined;
    const [is, rate] = [worth(intent.terms.quantity), rateOf(most.currency)];
    if (is === undefined || rate === undefined) return 'unknown';
    const own = is.div(rate);
    return {
      number: number('order', money(own, most.currency), money(most.amount, most.currency)),
      broken: own.gt(most.amount),
    };
  },
  'max-position-weight': ({ longest, shortest, worth, equity }, { maxPositionWeight }) =>
    share('position weight', worth(Decimal.max(longest.abs(), shortest.abs())), equity, maxPositionWeight),
  'max-gross-exposure': ({ longest, shortest, worth, others, equity }, { maxGrossExposure }) => {
    const own = worth(Decimal.max(longest.abs(), shortest.abs()));
    return share('gross exposure', sum(own, others?.gross), equity, maxGrossExposure);
  },
  'max-net-exposure': ({ longest, shortest, worth, others, equity }, { maxNetExposure }) => {
    const [most, least] = [sum(worth(longest), others?.mostLong), sum(worth(shortest), others?.mostShort)];
    const worst =
      most === undefined || least === undefined ? undefined : Decimal.max(most.abs(), least.abs());
    return share('net exposure', worst, equity, maxNetExposure);
  },
  'daily-loss': ({ dayProfit, equity }, { maxDailyLoss }) =>
    share('loss of the day', dayProfit === undefined ? undefined : dayProfit.neg(), equity, maxDailyLoss),
};

function atMost(name: string, value: Quantity, most: Decimal | undefined): Found | undefined {
  return most === undefined
    ? undefined
    : { number: number(name, shares(value), shares(most)), broken: value.gt(most) };
}

function share(
  name: string,
  worth: Decimal | undefined,
  equity: Decimal,
  most: Decimal | undefined,
): Found | 'unknown' | undefined {
  if (most === undefined) return undefined;
  if (worth === undefined || !equity.isFinite() || !equity.gt(0)) return 'unknown';
  const is = worth.div(equity);
  return { number: number(name, percent(is), percent(most)), broken: is.gt(most) };
}

function sum(one: Decimal | undefined, other: Decimal | undefined): Decimal | undefined {
  return one === undefined || other === undefined ? undefined : one.plus(other);
}
