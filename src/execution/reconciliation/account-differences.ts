import type { BotState } from '../../events/bot-state.ts';
import type { AccountBalance, Position } from '../../model/account.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';

/** A figure that differs between our books and the venue. */
export interface Difference {
  /** `700.HK`, or `cash HKD`. */
  readonly what: string;
  readonly ours: Decimal;
  readonly venue: Decimal;
}

/** Returns the cash of an account by currency: available cash plus cash frozen for orders. */
export function cashOf({ cash }: Pick<AccountBalance, 'cash'>): Readonly<Record<Currency, Decimal>> {
  return Object.fromEntries(cash.map((row) => [row.currency, row.available.plus(row.frozen)]));
}

/** Returns the differences between our positions and the venue's. */
export function positionDifferences(state: BotState, positions: readonly Position[]): readonly Difference[] {
  const { holdings } = state.portfolio;
  const theirs = new Map(positions.map(({ symbol, quantity }) => [symbol, quantity]));
  return [...new Set([...holdings.keys(), ...theirs.keys()])].flatMap((symbol) =>
    differenceOf(symbol, holdings.get(symbol)?.quantity ?? ZERO, theirs.get(symbol) ?? ZERO),
  );
}

/** Maximum charge of an order: a share of the traded amount, plus a fixed amount in any currency. */
const CHARGE_SHARE_MAX = new Decimal('0.01');
const CHARGE_ORDER_MAX = new Decimal(50);

/**
 * Returns the differences between our cash and the venue's. While charges of executions are unknown, the venue may
 * have less than our books by at most those charges. Fills read as averages may be wrong by their rounding, in either
 * direction.
 * @see docs/reliability.md, I-13
 */
export function cashDifferences(state: BotState, balance: AccountBalance): readonly Difference[] {
  const ours = state.portfolio.cash;
  const theirs = new Map(Object.entries(cashOf(balance)));
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((currency) => {
    const [here, there] = [ours.get(currency) ?? ZERO, theirs.get(currency) ?? ZERO];
    const missing = here.minus(there);
    const rounding = state.rounding.get(currency) ?? ZERO;
    if (missing.abs().lte(rounding)) return [];
    if (missing.gt(0) && missing.minus(rounding).lte(maxUnknownCharges(state, currency))) return [];
    return differenceOf(`cash ${currency}`, here, there);
  });
}

function maxUnknownCharges({ uncharged, foreign }: BotState, currency: Currency): Decimal {
  let total = ZERO;
  for (const order of [...uncharged.values(), ...foreign.uncharged.values()]) {
    if (order.currency !== currency) continue;
    total = total.plus(order.notional.times(CHARGE_SHARE_MAX)).plus(CHARGE_ORDER_MAX);
  }
  return total;
}

function differenceOf(what: string, ours: Decimal, venue: Decimal): readonly Difference[] {
  return ours.eq(venue) ? [] : [{ what, ours, venue }];
}

/** Formats a difference with both numbers. */
export function differenceText({ what, ours, venue }: Difference): string {
  return `${what} is ${ours} here and ${venue} at the venue`;
}
