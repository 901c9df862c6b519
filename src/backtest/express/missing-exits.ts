import { CLOSING_MS, missingExitAlarm } from '../../execution/algorithms/exit-watch.ts';
import type { Alarm } from '../../model/notice.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import { bailOut } from './bail-out.ts';
import type { Bracket } from './brackets.ts';

/** A position whose exits are cancelled. */
interface ExitGap {
  readonly number: number;
  readonly since: number;
  /** Whether its exits were cancelled at a print. */
  readonly wasPrint: boolean;
  quantity: number;
  isReported: boolean;
}

const SLOTS = ['stop', 'trail', 'target'] as const;
const REASON = 'an order of the strategy takes the position back';

/**
 * Raises the alarm `exits-missing` like execution/algorithms/exit-watch.ts: exits that are cancelled while an order
 * of the strategy closes a position are reported after a minute. Uses no timers; alarms are found at the next change.
 */
export class MissingExits {
  readonly #gaps = new Map<Bracket, ExitGap>();
  /** Alarms, with numbers that order those of the same time by the start of the gap. */
  readonly #raised: { readonly number: number; readonly alarm: Alarm }[] = [];
  readonly #until: Millis;
  readonly #symbolAt: (place: number) => SecuritySymbol;
  #gapCount = 0;

  /** No alarm is raised after `until`. */
  constructor(until: Millis, symbolAt: (place: number) => SecuritySymbol) {
    this.#until = until;
    this.#symbolAt = symbolAt;
  }

  /**
   * Records the shares of a bracket without exits from a time on. Timers fire before a print of the same time. A
   * cancel by age is also a timer, set when the order is sent: after the exits were cancelled, but before a print of
   * that time.
   */
  record(bracket: Bracket, quantity: number, at: number, cause: 'print' | 'cancel' | 'other'): void {
    const known = this.#gaps.get(bracket);
    if (known !== undefined) {
      const isTie = cause === 'cancel' && known.since + CLOSING_MS === at && known.wasPrint;
      if (isTie && !known.isReported) bailOut('two timers are due at the same time');
      this.#raiseIfDue(bracket, known, cause === 'other' ? at - 1 : at);
    }
    if (quantity === 0) this.#gaps.delete(bracket);
    else if (known !== undefined) {
      known.quantity = quantity;
    } else {
      this.#gapCount += 1;
      this.#gaps.set(bracket, {
        number: this.#gapCount,
        since: at,
        wasPrint: cause === 'print',
        quantity,
        isReported: false,
      });
    }
  }

  alarms(): readonly Alarm[] {
    for (const [bracket, missing] of this.#gaps) this.#raiseIfDue(bracket, missing, this.#until);
    return this.#raised
      .toSorted((one, other) => one.alarm.at - other.alarm.at || one.number - other.number)
      .map(({ alarm }) => alarm);
  }

  #raiseIfDue({ place, spec }: Bracket, missing: ExitGap, until: number): void {
    const { number, since, isReported } = missing;
    const at = millis(since + CLOSING_MS);
    if (isReported || at > until || at > this.#until) return;
    missing.isReported = true;
    const quantity = String(missing.quantity);
    const symbol = this.#symbolAt(place);
    for (const slot of SLOTS)
      if (spec[slot] !== undefined)
        this.#raised.push({
          number,
          alarm: missingExitAlarm({ symbol, slot, quantity, since, why: REASON }, at),
        });
  }
}
