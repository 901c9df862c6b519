import { draftsMade, type OrderDraft } from '../../strategy/order-draft.ts';
import type { RunSetup } from '../setup.ts';
import { bailOut } from './bail-out.ts';
import { ContextMaker } from './context.ts';
import type { DecisionLog, Returned } from './decision-log.ts';
import { type SupportedDraft, supportedDraft } from './supported-draft.ts';
import type { SymbolCursor } from './symbol-cursor.ts';
import type { ExpressWorld } from './world.ts';

/** Asks the strategy, keeps its answers, and has its orders sent. */
export class Listener {
  readonly #strategy: RunSetup['strategy'];
  readonly #decisions: DecisionLog;
  readonly #world: ExpressWorld;
  readonly #contexts: ContextMaker;

  constructor(setup: RunSetup, decisions: DecisionLog, world: ExpressWorld) {
    this.#strategy = setup.strategy;
    this.#decisions = decisions;
    this.#world = world;
    this.#contexts = new ContextMaker(setup, world);
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
    if (made !== draftsMade() && (returned === undefined || returned === null)) this.#decisions.lost('bar');
    else this.#take(returned, isAlone && !cursor.hasSignal());
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
    if (made !== draftsMade() && (returned === undefined || returned === null))
      this.#decisions.lost('signal');
    else this.#take(returned, isAlone && !cursor.hasSignal());
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

  /** `isLast` says that nothing else is told at that instant. */
  #take(returned: Returned, isLast: boolean): void {
    // Apart from the rest, so that the way of most answers is short enough to be compiled into one with the hook.
    if (returned === undefined || returned === null) this.#decisions.nothing();
    else this.#send(returned, isLast);
  }

  #send(returned: NonNullable<Returned>, isLast: boolean): void {
    if (Array.isArray(returned)) for (const draft of this.#copies(returned)) this.#world.send(draft);
    else this.#world.send(this.#copy(returned as OrderDraft), isLast);
  }

  /** Copies are kept: what the strategy does with its drafts later changes nothing. */
  #copies(drafts: readonly OrderDraft[]): readonly SupportedDraft[] {
    try {
      const copies = drafts.map(supportedDraft);
      this.#decisions.returned(copies);
      return copies;
    } catch (error) {
      this.#decisions.returned(drafts);
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
