import type { AccountBalance } from '../../model/account.ts';
import { Decimal } from '../../model/decimal.ts';

/** Decimals of sums that were converted. */
const CENTS = 2;
/** Decimals of sums in the account's own currency: more than prices and quantities need. */
const OWN_PLACES = 10;

/**
 * Returns a balance in the account's own currency with every booked digit, so that a bot sees the same numbers as its
 * backtest.
 */
export function ownBalance(balance: AccountBalance): AccountBalance {
  const rounded = Object.entries(balance).map(([name, value]) => [
    name,
    Decimal.isDecimal(value) ? value.toDecimalPlaces(OWN_PLACES) : value,
  ]);
  return Object.fromEntries(rounded) as AccountBalance;
}

/**
 * Rounds a converted balance to cents. Assets round down and liabilities up, so that it never overstates funds;
 * buying power remains equity minus initial margin, and the remaining credit remains credit plus cash. Cash of a
 * single currency is booked, not converted, and keeps each digit.
 * @see docs/wire-protocol.md, "Calls" (the relations of the published sample hold to the cent)
 */
export function statedBalance(balance: AccountBalance): AccountBalance {
  const equity = down(balance.equity);
  const initMargin = up(balance.initMargin);
  const maxFinance = down(balance.maxFinance);
  return {
    ...balance,
    equity,
    initMargin,
    maxFinance,
    totalCash: down(balance.totalCash),
    maintenanceMargin: up(balance.maintenanceMargin),
    buyPower: equity.minus(initMargin),
    marginCall: up(balance.marginCall),
    remainingFinance: maxFinance.plus(down(balance.remainingFinance.minus(balance.maxFinance))),
  };
}

function down(amount: Decimal): Decimal {
  return amount.toDecimalPlaces(CENTS, Decimal.ROUND_FLOOR);
}

function up(amount: Decimal): Decimal {
  return amount.toDecimalPlaces(CENTS, Decimal.ROUND_CEIL);
}
