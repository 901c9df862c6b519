import { absolute, compare, multiply, subtract, toAmount } from '../../model/amount.ts';
import type { Decimal, Price } from '../../model/decimal.ts';
import { AGREEING_UPDATES } from '../../model/quote.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';

/** How far the newest price of a symbol is confirmed by others. */
export interface QuoteJumpVerdict {
  /** Number of consecutive newest updates that agree, the newest included; at most `AGREEING_UPDATES`. */
  readonly agreeing: number;
  /** The newest accepted price; undefined before enough agreed for the first time. */
  readonly trusted: Price | undefined;
}

/** Tracks which prices of each symbol are confirmed. */
export interface QuoteJumpFilter {
  /** Adds an update that states a price. */
  observe(symbol: SecuritySymbol, price: Price): void;
  of(symbol: SecuritySymbol): QuoteJumpVerdict;
  /** Accepts the newest price of every symbol after an operator confirmed it. */
  acceptPrices(): void;
}

interface Run {
  readonly newest: Price;
  readonly agreeing: number;
  readonly trusted: Price | undefined;
}

/**
 * Accepts a price near the last accepted one. A price that jumped farther than `jump`, a share of it, requires a
 * number of consecutive updates, each within `jump` of the previous one. @see docs/reliability.md, F-D03
 */
export function createQuoteJumpFilter(jump: Decimal): QuoteJumpFilter {
  const runs = new Map<SecuritySymbol, Run>();
  const share = toAmount(jump);

  function isNear(price: Price, other: Price | undefined): boolean {
    if (other === undefined) return false;
    const before = toAmount(other);
    return compare(absolute(subtract(toAmount(price), before)), multiply(before, share, 'exact')) <= 0;
  }

  function next(price: Price, before: Run | undefined): Run {
    if (isNear(price, before?.trusted)) return { newest: price, agreeing: AGREEING_UPDATES, trusted: price };
    const count = isNear(price, before?.newest) ? (before?.agreeing ?? 0) + 1 : 1;
    const isBelieved = count >= AGREEING_UPDATES;
    return {
      newest: price,
      agreeing: Math.min(count, AGREEING_UPDATES),
      trusted: isBelieved ? price : before?.trusted,
    };
  }

  return {
    observe: (symbol, price) => void runs.set(symbol, next(price, runs.get(symbol))),
    of(symbol) {
      const { agreeing = 0, trusted } = runs.get(symbol) ?? {};
      return { agreeing, trusted };
    },
    acceptPrices() {
      for (const [symbol, { newest }] of runs)
        runs.set(symbol, { newest, agreeing: AGREEING_UPDATES, trusted: newest });
    },
  };
}
