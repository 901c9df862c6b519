import type { Decimal } from './decimal.ts';
import type { Currency } from './money.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { Millis } from './time.ts';

/**
 * Why a venue books cash without a trade: interest on debt or cash, a fee for borrowed shares, or the write-off of a
 * closed-out account's balance.
 */
export type CashPostingKind = 'debit-interest' | 'credit-interest' | 'borrow-fee' | 'write-off';

export interface CashPosting {
  readonly kind: CashPostingKind;
  readonly currency: Currency;
  /** Negative if the account paid. */
  readonly amount: Decimal;
  readonly at: Millis;
  /** The borrowed security; absent for interest. */
  readonly symbol?: SecuritySymbol;
}

/** Names in the wire's cash flow; the source documents no names for these rows. */
export const MOVE_NAMES: Readonly<Record<CashPostingKind, string>> = {
  'debit-interest': 'Interest-Debit',
  'credit-interest': 'Interest-Credit',
  'borrow-fee': 'Fee-StockBorrow',
  'write-off': 'Write-Off',
};
