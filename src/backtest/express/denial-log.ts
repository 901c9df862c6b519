import type { DenialsByRule } from '../../events/run-record.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import { isCounted } from '../../risk/risk-gate.ts';
import { bailOut } from './bail-out.ts';
import { RecentOrders } from './recent-orders.ts';

/** Denials of the gate: their number, and the first reason of each rule. */
export class DenialLog {
  count = 0;
  readonly #limits: Pick<RiskLimits, 'maxBreaches' | 'breachWindow'>;
  readonly #byRule = new Map<
    string,
    { rule: string; count: number; firstAt: DenialsByRule['firstAt']; reason: string }
  >();
  /** Times of denials by rules that count towards a halt. */
  readonly #breaches = new RecentOrders();

  constructor(limits: RiskLimits) {
    this.#limits = limits;
  }

  has(rule: string): boolean {
    return this.#byRule.has(rule);
  }

  /** Records a denial; `reason` is used for the first one of its rule. Bails out if denials would halt the gate. */
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
    this.#breaches.dropUntil(at - this.#limits.breachWindow);
    this.#breaches.add(at, 0, 0, 0);
    if (opens && this.#breaches.count >= this.#limits.maxBreaches) bailOut('repeated denials halt the gate');
  }

  /** Handles a resume: only later denials count towards a halt. */
  resumed(): void {
    this.#breaches.dropUntil(Number.POSITIVE_INFINITY);
  }

  /** Denials by rule, in the order of their first. */
  denials(): readonly DenialsByRule[] {
    return [...this.#byRule.values()];
  }
}
