import { type Amount, add, formatAmount } from '../../model/amount.ts';
import type { Currency } from '../../model/money.ts';
import type { Millis } from '../../model/time.ts';

/** One side of a booking: debits are positive, credits negative. */
export interface Posting {
  /**
   * `cash`, `opening`, `deposits`, `adjustments`, `charges`, `realized`, `dividends`, `interest`, `borrowing`, `written-off`
   * or `position:<symbol>`.
   */
  readonly account: string;
  readonly currency: Currency;
  readonly amount: Amount;
}

/** What one account of the books holds; debit balances are positive. */
export type BookBalance = Posting;

/** Postings that belong together; per currency they sum to zero. */
export interface Transaction {
  readonly time: Millis;
  readonly text: string;
  readonly postings: readonly Posting[];
}

/**
 * The books of one account, double entry: a transaction that does not balance to the last digit is a broken invariant and
 * stops the run, so the trial balance is zero per currency at all times.
 */
export class Ledger {
  readonly #balances = new Map<Currency, Map<string, BookBalance>>();
  readonly #inOrder: { readonly currency: Currency; readonly account: string }[] = [];

  post(transaction: Transaction): void {
    assertBalanced(transaction);
    for (const posting of transaction.postings) {
      if (posting.amount === 0) continue;
      const { account, currency, amount } = posting;
      const accounts = this.#accountsOf(currency);
      const before = accounts.get(account);
      if (before === undefined) this.#inOrder.push({ currency, account });
      accounts.set(account, { account, currency, amount: add(before?.amount ?? 0, amount) });
    }
  }

  balance(account: string, currency: Currency): Amount {
    return this.#balances.get(currency)?.get(account)?.amount ?? 0;
  }

  /** Every account that was ever posted to, in the order of first use. */
  balances(): readonly BookBalance[] {
    return this.#inOrder.flatMap(({ currency, account }) => this.#balances.get(currency)?.get(account) ?? []);
  }

  #accountsOf(currency: Currency): Map<string, BookBalance> {
    const known = this.#balances.get(currency);
    if (known !== undefined) return known;
    const accounts = new Map<string, BookBalance>();
    this.#balances.set(currency, accounts);
    return accounts;
  }
}

function assertBalanced(transaction: Transaction): void {
  const sums = sumByCurrency(transaction.postings);
  for (const [currency, sum] of sums) {
    if (sum !== 0) {
      throw new Error(
        `Transaction "${transaction.text}" does not balance: ${currency} sums to ${formatAmount(sum)}, not 0`,
      );
    }
  }
}

/** Sums postings per currency; the trial balance when handed all balances. */
export function sumByCurrency(postings: readonly Posting[]): ReadonlyMap<Currency, Amount> {
  const sums = new Map<Currency, Amount>();
  for (const { currency, amount } of postings) sums.set(currency, add(sums.get(currency) ?? 0, amount));
  return sums;
}
