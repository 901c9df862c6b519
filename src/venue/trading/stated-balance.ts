import type { AccountBalance } from '../../model/account.ts';
import { Decimal } from '../../model/decimal.ts';

/** Digits behind the point of every sum that went through a rate. */
const CENTS = 2;
/** Digits behind the point of a sum in the account's own currency: more than prices and quantities of one currency bring. */
const OWN_PLACES = 10;

/**
 * A balance in the account's own currency: every digit that was booked, so that a bot on this venue decides by the very
 * numbers that its backtest had.
 */
export function ownBalance(balance: AccountBalance): AccountBalance {
  const rounded = Object.entries(balance).map(([name, value]) => [
    name,
    Decimal.isDecimal(value) ? value.toDecimalPlaces(OWN_PLACES) : value,
  ]);
  return Object.fromEntries(rounded) as AccountBalance;
}

/**
 * A balance asked for in another currency: sums in cents, as rates give them dozens of digits. What there is
 * rounds down and what is owed rounds up, so that no more is stated than there is; buy power stays equity less initial
 * margin, and what is left of the credit stays credit plus cash. Cash of one currency keeps each digit: it is booked, not
 * computed.
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
