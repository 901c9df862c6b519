import type { AccountBalance } from '../model/account.ts';
import { Decimal } from '../model/decimal.ts';

/** Digits behind the point of every sum that an account states. */
const CENTS = 2;

/**
 * A balance as the account tells it: sums in cents, as rates between currencies give them dozens of digits. What there is
 * rounds down and what is owed rounds up, so that nobody is told of more than there is; buy power stays equity less initial
 * margin, and what is left of the credit stays credit plus cash. Cash of one currency keeps each digit: it is booked, not
 * computed.
 * @see reference: HTTP API 4.1 (the relations of the published sample hold to the cent)
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
