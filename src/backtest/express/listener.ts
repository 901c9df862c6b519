import { fillNews } from '../../execution/orders/order-news.ts';
import { heldState, isRemembering, separateState, stateToKeep } from '../../hosts/strategy/hosted-state.ts';
import type { Bar } from '../../model/bar.ts';
import type { Fill } from '../../model/fill.ts';
import type { KeptState } from '../../model/kept-state.ts';
import type { Remembering } from '../../strategy/define-strategy.ts';
import { type Decision, draftsMade, type OrderDraft } from '../../strategy/order-draft.ts';
import { type PlainData, stateOf } from '../../strategy/state.ts';
import type { TimerEvent } from '../../strategy/strategy-event.ts';
import type { RunSetup } from '../setup.ts';
import { bailOut } from './bail-out.ts';
import { ContextMaker } from './context.ts';
import type { CalledHook, DecisionLog, Returned } from './decision-log.ts';
import type { Drafts } from './pipeline.ts';
import { type SupportedDraft, supportedDraft } from './supported-draft.ts';
import type { SymbolCursor } from './symbol-cursor.ts';
import type { ExpressWorld } from './world.ts';

/** Calls the strategy, records its answers, and returns their drafts. */
export class Listener {
  readonly #strategy: RunSetup['strategy'];
  readonly #decisions: DecisionLog;
  readonly #world: ExpressWorld;
  readonly #contexts: ContextMaker;
  /** The strategy's state as text; undefined until it first changes. */
  #kept: KeptState | undefined;

  constructor(setup: RunSetup, decisions: DecisionLog, world: ExpressWorld) {
    this.#strategy = setup.strategy;
    this.#decisions = decisions;
    this.#world = world;
    this.#contexts = new ContextMaker(setup, world);
    this.#contexts.state = heldState(setup.strategy, undefined);
  }

  bar(cursor: SymbolCursor): Drafts | undefined {
    const event = cursor.barEvent();
    const made = this.#ask();
    return this.#take('bar', this.#strategy.onBar?.(event, this.#contexts.now(cursor)), made);
  }

  /** Calls the strategy with all bars that closed at the current time. */
  bars(bars: readonly Bar[]): Drafts | undefined {
    const { now } = this.#world;
    const made = this.#ask();
    const returned = this.#strategy.onBars?.({ kind: 'bars', time: now, bars }, this.#contexts.at(now));
    return this.#take('bars', returned, made);
  }

  timer(event: TimerEvent): Drafts | undefined {
    const made = this.#ask();
    return this.#take('timer', this.#strategy.onTimer?.(event, this.#contexts.at(event.time)), made);
  }

  /** Calls the strategy with the next signal of a cursor and consumes it. */
  signal(cursor: SymbolCursor): Drafts | undefined {
    const event = cursor.signal();
    cursor.passSignal();
    if (cursor.now !== this.#world.now) cursor.goTo(this.#world.now);
    const made = this.#ask();
    return this.#take('signal', this.#strategy.onSignal?.(event, this.#contexts.now(cursor)), made);
  }

  fill(fill: Fill): Drafts | undefined {
    const { now } = this.#world;
    const made = this.#ask();
    return this.#take('fill', this.#strategy.onFill?.(fillNews(fill, now), this.#contexts.at(now)), made);
  }

  /** Begins a question; returns the number of drafts created before it. */
  #ask(): number {
    this.#decisions.ask();
    return draftsMade();
  }

  /** `made` is the number of drafts created before the hook was called. */
  #take(hook: CalledHook, returned: Returned, made: number): Drafts | undefined {
    // A separate function keeps the common path small enough for V8 to inline it with the hook.
    if (returned !== undefined && returned !== null) return this.#drafts(hook, returned, made);
    if (made !== draftsMade()) this.#decisions.lost(hook);
    this.#decisions.nothing();
    return undefined;
  }

  #drafts(hook: CalledHook, returned: NonNullable<Returned>, made: number): Drafts | undefined {
    if (this.#strategy.state !== undefined && isRemembering(returned))
      return this.#remembered(hook, returned, made);
    return Array.isArray(returned) ? this.#copies(returned) : this.#copy(returned as OrderDraft);
  }

  /** Stores the state and returns the drafts of an answer. */
  #remembered(
    hook: CalledHook,
    returned: Remembering<PlainData | undefined>,
    made: number,
  ): Drafts | undefined {
    const orders = this.#remember(returned);
    if (orders === undefined || orders === null) {
      if (made !== draftsMade()) this.#decisions.lost(hook);
      this.#decisions.returned({ state: this.#contexts.state });
      return undefined;
    }
    const drafts = Array.isArray(orders) ? orders : [orders as OrderDraft];
    const copies = this.#copied(returned, drafts);
    this.#decisions.returned({ state: this.#contexts.state, orders: copies });
    return copies;
  }

  /** Stores the state of an answer and returns its orders. */
  #remember(returned: Returned): Decision {
    const { state } = this.#contexts;
    const apart = separateState(this.#strategy, returned, state);
    if ('problem' in apart) return this.#odd(returned, apart.problem);
    if (apart.state === state) return apart.decision;
    const keep = stateToKeep(this.#strategy, apart.state, this.#kept);
    if ('problem' in keep) return this.#odd(returned, keep.problem);
    if (keep.state !== undefined) {
      this.#kept = keep.state;
      this.#contexts.state = stateOf(keep.state.text);
    }
    return apart.decision;
  }

  #odd(returned: Returned, problem: string): never {
    this.#decisions.returned(returned);
    bailOut(problem);
  }

  /** Returns copies, so that later changes by the strategy have no effect. */
  #copies(drafts: readonly OrderDraft[]): readonly SupportedDraft[] {
    const copies = this.#copied(drafts, drafts);
    this.#decisions.returned(copies);
    return copies;
  }

  #copied(returned: Returned, drafts: readonly OrderDraft[]): readonly SupportedDraft[] {
    try {
      return drafts.map(supportedDraft);
    } catch (error) {
      this.#decisions.returned(returned);
      throw error;
    }
  }

  #copy(draft: OrderDraft): SupportedDraft {
    let copy: SupportedDraft;
    try {
      copy = supportedDraft(draft);
    } catch (error) {
      this.#decisions.returned(draft);
      throw error;
    }
    this.#decisions.draft(copy);
    return copy;
  }
}
