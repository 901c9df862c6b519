import type { DenialsByRule } from '../../events/run-record.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import { isCounted } from '../../risk/risk-gate.ts';
import { bailOut } from './bail-out.ts';
import { RecentOrders } from './recent-orders.ts';

/** What the gate denied: the reason of the first order by each rule, and how many there were. */
export class DenialLog {
  count = 0;
  readonly #limits: Pick<RiskLimits, 'maxBreaches' | 'breachWindow'>;
  readonly #byRule = new Map<
    string,
    { rule: string; count: number; firstAt: DenialsByRule['firstAt']; reason: string }
  >();
  /** When an order was denied by a rule that counts towards a halt. */
  readonly #breaches = new RecentOrders();

  constructor(limits: RiskLimits) {
    this.#limits = limits;
  }

  /** Whether a reason by this rule is kept. */
  has(rule: string): boolean {
    return this.#byRule.has(rule);
  }

  /** Notes a denial; `reason` counts for the first one of its rule. Leaves where denials would halt the gate. */
  add(denial: {
    readonly rule: string;
    readonly reason: string;
    readonly at: DenialsByRule['firstAt'];
    readonly opens: boolean;
  }): void {
    const { rule, reason, at, opens } = denial;
    this.count += 1;
    const known = this.#byRule.get(rule);
    if (known === undefined) this.#byRule.set(rule, { rule, count: 1, firstAt: at, reason });
    else known.count += 1;
    if (!isCounted(rule)) return;
    this.#breaches.forget(at - this.#limits.breachWindow);
    this.#breaches.add(at, 0, 0, 0);
    if (opens && this.#breaches.count >= this.#limits.maxBreaches) bailOut('orders denied again and again');
  }

  /** An operator has resumed: only later denials count towards a halt. */
  resumed(): void {
    this.#breaches.forget(Number.POSITIVE_INFINITY);
  }

  /** All of them, in the order in which each rule first denied. */
  denials(): readonly DenialsByRule[] {
    return [...this.#byRule.values()];
  }
}
