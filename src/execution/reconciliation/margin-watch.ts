import type { AccountBalance } from '../../model/account.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { Clock } from '../../ports/clock.ts';

/**
 * Reports a margin call when it is first read, and again only after one has been met; a rule of the gate lets nothing open until then. The venue
 * does not push it: it is read with the books, once a minute.
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
