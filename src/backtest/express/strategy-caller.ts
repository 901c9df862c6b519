import { fillUpdate } from '../../execution/orders/order-update.ts';
import {
  changedState,
  currentState,
  isRemembering,
  separateState,
} from '../../hosts/strategy/hosted-state.ts';
import type { Bar } from '../../model/bar.ts';
import type { Fill } from '../../model/fill.ts';
import type { KeptState } from '../../model/kept-state.ts';
import type { Millis } from '../../model/time.ts';
import type { Remembering } from '../../strategy/define-strategy.ts';
import { type Decision, draftsMade, type OrderDraft } from '../../strategy/order-draft.ts';
import { type PlainData, stateOf } from '../../strategy/state.ts';
import type { OrderEvent, TimerEvent } from '../../strategy/strategy-event.ts';
import type { RunSetup } from '../setup.ts';
import { bailOut } from './bail-out.ts';
import { ContextFactory } from './context.ts';
import type { CalledHook, DecisionLog, HookReturn } from './decision-log.ts';
import type { Drafts } from './pipeline.ts';
import { type SupportedDraft, supportedDraft } from './supported-draft.ts';
import type { SymbolCursor } from './symbol-cursor.ts';
import type { ExpressWorld } from './world.ts';

/** Calls the strategy, records what it returns, and returns the drafts. */
export class StrategyCaller {
  readonly #strategy: RunSetup['strategy'];
  readonly #decisions: DecisionLog;
  readonly #world: ExpressWorld;
  readonly #contexts: ContextFactory;
  /** The strategy's state as text; undefined until it first changes. */
  #stored: KeptState | undefined;

  constructor(setup: RunSetup, decisions: DecisionLog, world: ExpressWorld) {
    this.#strategy = setup.strategy;
    this.#decisions = decisions;
    this.#world = world;
    this.#contexts = new ContextFactory(setup, world);
    this.#contexts.state = currentState(setup.strategy, undefined);
  }

  bar(cursor: SymbolCursor): Drafts | undefined {
    const event = cursor.barEvent();
    const draftsBefore = this.#beginCall();
    return this.#draftsOf('bar', this.#strategy.onBar?.(event, this.#contexts.now(cursor)), draftsBefore);
  }

  /** Calls the strategy with all bars that closed at the current time. */
  bars(bars: readonly Bar[]): Drafts | undefined {
    const { now } = this.#world;
    const draftsBefore = this.#beginCall();
    const returned = this.#strategy.onBars?.({ kind: 'bars', time: now, bars }, this.#contexts.at(now));
    return this.#draftsOf('bars', returned, draftsBefore);
  }

  timer(event: TimerEvent): Drafts | undefined {
    const draftsBefore = this.#beginCall();
    return this.#draftsOf(
      'timer',
      this.#strategy.onTimer?.(event, this.#contexts.at(event.time)),
      draftsBefore,
    );
  }

  /** Calls the strategy with the next signal of a cursor and consumes it. */
  signal(cursor: SymbolCursor): Drafts | undefined {
    const event = cursor.signal();
    cursor.skipSignal();
    if (cursor.now !== this.#world.now) cursor.goTo(this.#world.now);
    const draftsBefore = this.#beginCall();
    return this.#draftsOf(
      'signal',
      this.#strategy.onSignal?.(event, this.#contexts.now(cursor)),
      draftsBefore,
    );
  }

  fill(fill: Fill): Drafts | undefined {
    const { now } = this.#world;
    const draftsBefore = this.#beginCall();
    return this.#draftsOf(
      'fill',
      this.#strategy.onFill?.(fillUpdate(fill, now), this.#contexts.at(now)),
      draftsBefore,
    );
  }

  /** Calls the strategy at the start of the run, when no price is known. */
  start(): Drafts | undefined {
    const { now } = this.#world;
    const draftsBefore = this.#beginCall();
    const returned = this.#strategy.onStart?.({ kind: 'start', time: now }, this.#contexts.at(now));
    return this.#draftsOf('start', returned, draftsBefore);
  }

  /** Calls the strategy with an event of an order; it sees the closes up to `knownAt`. */
  order(event: OrderEvent, knownAt: Millis): Drafts | undefined {
    const draftsBefore = this.#beginCall();
    const context = { ...this.#contexts.at(knownAt), now: event.time };
    return this.#draftsOf('order', this.#strategy.onOrder?.(event, context), draftsBefore);
  }

  /** Begins a hook call; returns the number of drafts created before it. */
  #beginCall(): number {
    this.#decisions.beginCall();
    return draftsMade();
  }

  /** `draftsBefore` is the number of drafts created before the hook was called. */
  #draftsOf(hook: CalledHook, returned: HookReturn, draftsBefore: number): Drafts | undefined {
    // A separate function keeps the common path small enough for V8 to inline it with the hook.
    if (returned !== undefined && returned !== null) return this.#recordDrafts(hook, returned, draftsBefore);
    if (draftsBefore !== draftsMade()) this.#decisions.recordUnreturned(hook);
    this.#decisions.recordEmpty();
    return undefined;
  }

  #recordDrafts(
    hook: CalledHook,
    returned: NonNullable<HookReturn>,
    draftsBefore: number,
  ): Drafts | undefined {
    if (this.#strategy.state !== undefined && isRemembering(returned))
      return this.#recordState(hook, returned, draftsBefore);
    return Array.isArray(returned) ? this.#copies(returned) : this.#copy(returned as OrderDraft);
  }

  /** Stores the state and returns the drafts of a result. */
  #recordState(
    hook: CalledHook,
    returned: Remembering<PlainData | undefined>,
    draftsBefore: number,
  ): Drafts | undefined {
    const orders = this.#storeState(returned);
    if (orders === undefined || orders === null) {
      if (draftsBefore !== draftsMade()) this.#decisions.recordUnreturned(hook);
      this.#decisions.recordReturn({ state: this.#contexts.state });
      return undefined;
    }
    const drafts = Array.isArray(orders) ? orders : [orders as OrderDraft];
    const copies = this.#copied(returned, drafts);
    this.#decisions.recordReturn({ state: this.#contexts.state, orders: copies });
    return copies;
  }

  /** Stores the state of a result and returns its orders. */
  #storeState(returned: HookReturn): Decision {
    const { state } = this.#contexts;
    const separated = separateState(this.#strategy, returned, state);
    if ('problem' in separated) return this.#bailOutFor(returned, separated.problem);
    if (separated.state === state) return separated.decision;
    const storable = changedState(this.#strategy, separated.state, this.#stored);
    if ('problem' in storable) return this.#bailOutFor(returned, storable.problem);
    if (storable.state !== undefined) {
      this.#stored = storable.state;
      this.#contexts.state = stateOf(storable.state.text);
    }
    return separated.decision;
  }

  #bailOutFor(returned: HookReturn, problem: string): never {
    this.#decisions.recordReturn(returned);
    bailOut(problem);
  }

  /** Returns copies, so that later changes by the strategy have no effect. */
  #copies(drafts: readonly OrderDraft[]): readonly SupportedDraft[] {
    const copies = this.#copied(drafts, drafts);
    this.#decisions.recordReturn(copies);
    return copies;
  }

  #copied(returned: HookReturn, drafts: readonly OrderDraft[]): readonly SupportedDraft[] {
    try {
      return drafts.map(supportedDraft);
    } catch (error) {
      this.#decisions.recordReturn(returned);
      throw error;
    }
  }

  #copy(draft: OrderDraft): SupportedDraft {
    let copy: SupportedDraft;
    try {
      copy = supportedDraft(draft);
    } catch (error) {
      this.#decisions.recordReturn(draft);
      throw error;
    }
    this.#decisions.recordDraft(copy);
    return copy;
  }
}
