import type { AccountBalance } from '../../model/account.ts';
import { Decimal } from '../../model/decimal.ts';

/** Decimals of sums that were converted. */
const CENTS = 2;
/** Decimals of sums in the account's own currency: more than prices and quantities need. */
const ACCOUNT_CURRENCY_PLACES = 10;

/**
 * Returns a balance in the account's own currency with every booked digit, so that a bot sees the same numbers as its
 * backtest.
 */
export function accountCurrencyBalance(balance: AccountBalance): AccountBalance {
  const rounded = Object.entries(balance).map(([name, value]) => [
    name,
    Decimal.isDecimal(value) ? value.toDecimalPlaces(ACCOUNT_CURRENCY_PLACES) : value,
  ]);
  return Object.fromEntries(rounded) as AccountBalance;
}

/**
 * Rounds a converted balance to cents. Assets round down and liabilities up, so that it never overstates funds;
 * buying power remains equity minus initial margin, and the remaining credit remains credit plus cash. Cash of a
 * single currency is booked, not converted, and keeps each digit.
 * @see docs/wire-protocol.md, "Calls" (the relations of the published sample hold to the cent)
 */
export function convertedBalance(balance: AccountBalance): AccountBalance {
  const equity = roundedDown(balance.equity);
  const initMargin = roundedUp(balance.initMargin);
  const maxFinance = roundedDown(balance.maxFinance);
  return {
    ...balance,
    equity,
    initMargin,
    maxFinance,
    totalCash: roundedDown(balance.totalCash),
    maintenanceMargin: roundedUp(balance.maintenanceMargin),
    buyPower: equity.minus(initMargin),
    marginCall: roundedUp(balance.marginCall),
    remainingFinance: maxFinance.plus(roundedDown(balance.remainingFinance.minus(balance.maxFinance))),
  };
}

function roundedDown(amount: Decimal): Decimal {
  return amount.toDecimalPlaces(CENTS, Decimal.ROUND_FLOOR);
}

function roundedUp(amount: Decimal): Decimal {
  return amount.toDecimalPlaces(CENTS, Decimal.ROUND_CEIL);
}
