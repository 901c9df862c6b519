import { draftsMade, type OrderDraft } from '../../strategy/order-draft.ts';
import type { RunSetup } from '../setup.ts';
import type { Answers, Returned } from './answers.ts';
import { ContextMaker } from './context.ts';
import type { Lane } from './lane.ts';
import { leave } from './leaves.ts';
import { type OrdinaryDraft, ordinaryDraft } from './wish.ts';
import type { ExpressWorld } from './world.ts';

/** Asks the strategy, keeps its answers, and has its orders sent. */
export class Listener {
  readonly #strategy: RunSetup['strategy'];
  readonly #answers: Answers;
  readonly #world: ExpressWorld;
  readonly #contexts: ContextMaker;

  constructor(setup: RunSetup, answers: Answers, world: ExpressWorld) {
    this.#strategy = setup.strategy;
    this.#answers = answers;
    this.#world = world;
    this.#contexts = new ContextMaker(setup, world);
  }

  /** Tells of the bar at which a lane stands; `isAlone` says that no other lane tells anything at that instant. */
  bar(lane: Lane, isAlone: boolean): void {
    const event = lane.barEvent();
    const made = draftsMade();
    let returned: Returned;
    try {
      returned = this.#strategy.onBar?.(event, this.#contexts.now(lane));
    } catch (thrown) {
      this.#threw(thrown);
    }
    if (made !== draftsMade() && (returned === undefined || returned === null)) this.#answers.lost('bar');
    else this.#take(returned, isAlone && !lane.hasSignal());
  }

  /** Tells of the signal that a lane has to tell next, and goes past it. */
  signal(lane: Lane, isAlone: boolean): void {
    const event = lane.signal();
    lane.passSignal();
    if (lane.now !== this.#world.now) lane.goTo(this.#world.now);
    const made = draftsMade();
    let returned: Returned;
    try {
      returned = this.#strategy.onSignal?.(event, this.#contexts.now(lane));
    } catch (thrown) {
      this.#threw(thrown);
    }
    if (made !== draftsMade() && (returned === undefined || returned === null)) this.#answers.lost('signal');
    else this.#take(returned, isAlone && !lane.hasSignal());
  }

  /** Sends what the next signal of a lane has as its target, and goes past it: nobody is asked, and no answer is kept. */
  aim(lane: Lane, isAlone: boolean): void {
    const draft = lane.aim();
    lane.passSignal();
    if (draft !== undefined) this.#world.send(draft, isAlone && !lane.hasSignal());
  }

  #threw(thrown: unknown): never {
    this.#answers.threw(thrown);
    leave('the strategy threw');
  }

  /** `isLast` says that nothing else is told at that instant. */
  #take(returned: Returned, isLast: boolean): void {
    // Apart from the rest, so that the way of most answers is short enough to be compiled into one with the hook.
    if (returned === undefined || returned === null) this.#answers.nothing();
    else this.#send(returned, isLast);
  }

  #send(returned: NonNullable<Returned>, isLast: boolean): void {
    if (Array.isArray(returned)) for (const draft of this.#copies(returned)) this.#world.send(draft);
    else this.#world.send(this.#copy(returned as OrderDraft), isLast);
  }

  /** Copies are kept: what the strategy does with its drafts later changes nothing. */
  #copies(drafts: readonly OrderDraft[]): readonly OrdinaryDraft[] {
    try {
      const copies = drafts.map(ordinaryDraft);
      this.#answers.returned(copies);
      return copies;
    } catch (error) {
      this.#answers.returned(drafts);
      throw error;
    }
  }

  #copy(draft: OrderDraft): OrdinaryDraft {
    let copy: OrdinaryDraft;
    try {
      copy = ordinaryDraft(draft);
    } catch (error) {
      this.#answers.returned(draft);
      throw error;
    }
    this.#answers.draft(copy);
    return copy;
  }
}
