import { fillNews } from '../../execution/orders/order-news.ts';
import { heldState, isRemembering, separateState, stateToKeep } from '../../hosts/strategy/hosted-state.ts';
import type { Fill } from '../../model/fill.ts';
import type { KeptState } from '../../model/kept-state.ts';
import type { Remembering } from '../../strategy/define-strategy.ts';
import { type Decision, draftsMade, type OrderDraft } from '../../strategy/order-draft.ts';
import { type PlainData, stateOf } from '../../strategy/state.ts';
import type { RunSetup } from '../setup.ts';
import { bailOut } from './bail-out.ts';
import { ContextMaker } from './context.ts';
import type { DecisionLog, Returned } from './decision-log.ts';
import { type SupportedDraft, supportedDraft } from './supported-draft.ts';
import type { SymbolCursor } from './symbol-cursor.ts';
import type { ExpressWorld } from './world.ts';

/** A hook that express runs call. */
type CalledHook = 'bar' | 'signal' | 'fill';

/** Asks the strategy, keeps its answers, and has its orders sent. */
export class Listener {
  readonly #strategy: RunSetup['strategy'];
  readonly #decisions: DecisionLog;
  readonly #world: ExpressWorld;
  readonly #contexts: ContextMaker;
  /** The strategy's state as text; undefined until it changes for the first time. */
  #kept: KeptState | undefined;

  constructor(setup: RunSetup, decisions: DecisionLog, world: ExpressWorld) {
    this.#strategy = setup.strategy;
    this.#decisions = decisions;
    this.#world = world;
    this.#contexts = new ContextMaker(setup, world);
    this.#contexts.state = heldState(setup.strategy, undefined);
  }

  /** Passes the current bar of a cursor to the strategy; `isAlone`: no other symbol has an event at that instant. */
  bar(cursor: SymbolCursor, isAlone: boolean): void {
    const event = cursor.barEvent();
    const made = draftsMade();
    let returned: Returned;
    try {
      returned = this.#strategy.onBar?.(event, this.#contexts.now(cursor));
    } catch (thrown) {
      this.#threw(thrown);
    }
    this.#take('bar', returned, made, isAlone && !cursor.hasSignal());
  }

  /** Passes the next signal of a cursor to the strategy and consumes it. */
  signal(cursor: SymbolCursor, isAlone: boolean): void {
    const event = cursor.signal();
    cursor.passSignal();
    if (cursor.now !== this.#world.now) cursor.goTo(this.#world.now);
    const made = draftsMade();
    let returned: Returned;
    try {
      returned = this.#strategy.onSignal?.(event, this.#contexts.now(cursor));
    } catch (thrown) {
      this.#threw(thrown);
    }
    this.#take('signal', returned, made, isAlone && !cursor.hasSignal());
  }

  /** Passes a fill that was booked to the strategy. */
  fill(fill: Fill): void {
    const { now } = this.#world;
    const made = draftsMade();
    let returned: Returned;
    try {
      returned = this.#strategy.onFill?.(fillNews(fill, now), this.#contexts.at(now));
    } catch (thrown) {
      this.#threw(thrown);
    }
    this.#take('fill', returned, made, false);
  }

  /** Sends the target of the next signal of a cursor and consumes it; the strategy is not called and nothing is logged. */
  target(cursor: SymbolCursor, isAlone: boolean): void {
    const draft = cursor.target();
    cursor.passSignal();
    if (draft !== undefined) this.#world.send(draft, isAlone && !cursor.hasSignal());
  }

  #threw(thrown: unknown): never {
    this.#decisions.threw(thrown);
    bailOut('the strategy threw');
  }

  /** `made`: drafts created before the hook was called; `isLast`: no other event follows at that instant. */
  #take(hook: CalledHook, returned: Returned, made: number, isLast: boolean): void {
    // Apart from the rest, so that the way of most answers is short enough to be compiled into one with the hook.
    if (returned === undefined || returned === null) {
      if (made !== draftsMade()) this.#decisions.lost(hook);
      this.#decisions.nothing();
    } else this.#send(hook, returned, made, isLast);
  }

  #send(hook: CalledHook, returned: NonNullable<Returned>, made: number, isLast: boolean): void {
    if (this.#strategy.state !== undefined && isRemembering(returned))
      this.#sendRemembering(hook, returned, made);
    else if (Array.isArray(returned)) for (const draft of this.#copies(returned)) this.#world.send(draft);
    else this.#world.send(this.#copy(returned as OrderDraft), isLast);
  }

  /** Keeps the state, then sends the orders that came with it. */
  #sendRemembering(hook: CalledHook, returned: Remembering<PlainData | undefined>, made: number): void {
    const orders = this.#remember(returned);
    if (orders === undefined || orders === null) {
      if (made !== draftsMade()) this.#decisions.lost(hook);
      this.#decisions.returned({ state: this.#contexts.state });
      return;
    }
    const drafts = Array.isArray(orders) ? orders : [orders as OrderDraft];
    const copies = this.#copied(returned, drafts);
    this.#decisions.returned({ state: this.#contexts.state, orders: copies });
    for (const draft of copies) this.#world.send(draft);
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

  /** Copies are kept: what the strategy does with its drafts later changes nothing. */
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
