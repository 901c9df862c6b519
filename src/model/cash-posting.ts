import type { Decimal } from './decimal.ts';
import type { Currency } from './money.ts';
import type { SecuritySymbol } from './symbol.ts';
import type { Millis } from './time.ts';

/**
 * Why a venue moves money without a trade: interest on what is owed, on what is there, the fee for shares sold short, and what an account
 * that was closed out no longer owes.
 */
export type CashPostingKind = 'debit-interest' | 'credit-interest' | 'borrow-fee' | 'write-off';

/** Money that a venue moved by itself. */
export interface CashPosting {
  readonly kind: CashPostingKind;
  readonly currency: Currency;
  /** Below zero where the account paid. */
  readonly amount: Decimal;
  readonly at: Millis;
  /** What was borrowed; absent for interest. */
  readonly symbol?: SecuritySymbol;
}

/** How the cash flow of the wire calls them; the source names no such rows. */
export const MOVE_NAMES: Readonly<Record<CashPostingKind, string>> = {
  'debit-interest': 'Interest-Debit',
  'credit-interest': 'Interest-Credit',
  'borrow-fee': 'Fee-StockBorrow',
  'write-off': 'Write-Off',
};
