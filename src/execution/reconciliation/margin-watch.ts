import type { AccountBalance } from '../../model/account.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { Clock } from '../../ports/clock.ts';

/**
 * Creates a check of the account's balance that raises an alarm for each new margin call; a rule of the gate blocks
 * opening until it is met. The venue does not push margin calls: the balance is read at each reconciliation, once a
 * minute.
 * @see docs/venue.md, "The market"
 */
export function createMarginWatch({
  alarms,
  clock,
}: {
  readonly alarms: Alarms;
  readonly clock: Clock;
}): (balance: AccountBalance) => void {
  let isCalled = false;
  return ({ marginCall, maintenanceMargin, equity, currency }) => {
    const was = isCalled;
    isCalled = marginCall.gt(0);
    if (was || !isCalled) return;
    const [call, maintenance, left] = [marginCall, maintenanceMargin, equity].map(
      (amount) => `${amount.toFixed(2)} ${currency}`,
    );
    alarms.raise({
      code: 'margin-call',
      message: `Margin call of ${call}: maintenance margin is ${maintenance}, equity ${left}. Nothing opens until it is met, and the venue may close positions by force`,
      at: clock.now(),
      facts: { marginCall: String(call), maintenanceMargin: String(maintenance), equity: String(left) },
    });
  };
}
