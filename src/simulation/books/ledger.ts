import { type Amount, add, formatAmount } from '../../model/amount.ts';
import type { Currency } from '../../model/money.ts';
import type { Millis } from '../../model/time.ts';

/** One side of a booking: debits are positive, credits negative. */
export interface Posting {
  /**
   * One of `cash`, `opening`, `deposits`, `adjustments`, `charges`, `realized`, `dividends`, `interest`, `borrowing`,
   * `written-off` or `position:<symbol>`.
   */
  readonly account: string;
  readonly currency: Currency;
  readonly amount: Amount;
}

/** The balance of one ledger account; debit balances are positive. */
export type BookBalance = Posting;

/** Postings that belong together; they sum to zero per currency. */
export interface Transaction {
  readonly time: Millis;
  readonly text: string;
  readonly postings: readonly Posting[];
}

/**
 * Double-entry books of one account. A transaction that does not balance to the last digit throws, so the trial balance
 * is always zero per currency.
 */
export class Ledger {
  readonly #balances = new Map<Currency, Map<string, BookBalance>>();
  readonly #accountsInOrder: { readonly currency: Currency; readonly account: string }[] = [];

  post(transaction: Transaction): void {
    assertBalanced(transaction);
    for (const posting of transaction.postings) {
      if (posting.amount === 0) continue;
      const { account, currency, amount } = posting;
      const accounts = this.#accountsOf(currency);
      const before = accounts.get(account);
      if (before === undefined) this.#accountsInOrder.push({ currency, account });
      accounts.set(account, { account, currency, amount: add(before?.amount ?? 0, amount) });
    }
  }

  balance(account: string, currency: Currency): Amount {
    return this.#balances.get(currency)?.get(account)?.amount ?? 0;
  }

  /** Returns the balance of every ledger account ever used, in order of first use. */
  balances(): readonly BookBalance[] {
    return this.#accountsInOrder.flatMap(
      ({ currency, account }) => this.#balances.get(currency)?.get(account) ?? [],
    );
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

/** Sums postings per currency; over all balances, this is the trial balance. */
export function sumByCurrency(postings: readonly Posting[]): ReadonlyMap<Currency, Amount> {
  const sums = new Map<Currency, Amount>();
  for (const { currency, amount } of postings) sums.set(currency, add(sums.get(currency) ?? 0, amount));
  return sums;
}
