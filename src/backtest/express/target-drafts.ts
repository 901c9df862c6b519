import type { SecuritySymbol } from '../../model/symbol.ts';
import type { ColumnSignal, SignalEvents } from '../../signals/signal-events.ts';
import { draftTowards, type SignalTargets } from '../../strategy/targets.ts';
import { type SupportedDraft, supportedDraft } from './supported-draft.ts';

/** Drafts for a symbol's target positions, created once per run, so that a signal creates no objects. */
export class TargetDrafts {
  /** By index of the signal in the program, up before down. */
  readonly #drafts: readonly (SupportedDraft | undefined)[];
  readonly #signals: readonly string[];

  constructor(symbol: SecuritySymbol, targets: SignalTargets, signals: readonly string[]) {
    this.#signals = signals;
    this.#drafts = signals.flatMap((name) => {
      const { up, down } = targets[name] ?? {};
      return [up, down].map((target) =>
        target === undefined ? undefined : supportedDraft(draftTowards(symbol, target)),
      );
    });
  }

  /** Returns the draft of a signal; undefined if there is none. */
  at({ kinds, directions }: SignalEvents, event: number): SupportedDraft | undefined {
    return this.#drafts[2 * (kinds[event] as number) + ((directions[event] as number) > 0 ? 0 : 1)];
  }

  /** Returns the draft of a signal object. */
  of({ name, direction }: Pick<ColumnSignal, 'name' | 'direction'>): SupportedDraft | undefined {
    return this.#drafts[2 * this.#signals.indexOf(name) + (direction === 'up' ? 0 : 1)];
  }
}
