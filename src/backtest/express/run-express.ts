import type { FillColumns } from '../../events/fill-columns.ts';
import type { EquityCurve } from '../../events/run-record.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import type { StrategyContext } from '../../strategy/context.ts';
import { type OrderDraft, orderDrafts } from '../../strategy/order-draft.ts';
import type { MarketEvent } from '../../strategy/strategy-event.ts';
import { hooksOf } from '../../strategy/strategy-facts.ts';
import { cutColumns, programOf, type RunColumns, type RunSetup, startOf } from '../setup.ts';
import { createTrack, type Track } from '../track.ts';
import { Answers, type Returned } from './answers.ts';
import { LeavesExpress, leave } from './leaves.ts';
import { fromUnits } from './units.ts';
import { type OrdinaryDraft, ordinaryDraft } from './wish.ts';
import { ExpressWorld } from './world.ts';

/** What an express run came to. */
export interface Arrived {
  readonly kind: 'arrived';
  readonly answers: Answers;
  readonly start: Millis;
  readonly cuts: readonly RunColumns[];
  readonly equity: EquityCurve;
  readonly fills: FillColumns;
  readonly signals: number;
  readonly orders: number;
  /** Whether an amount went beyond what is kept exactly. */
  readonly isRounded: boolean;
}

/** That, or how far the strategy had answered when plain numbers carried no further. */
export type ExpressRun = Arrived | { readonly kind: 'left'; readonly answers: Answers; readonly why: string };

/**
 * Carries a run whose orders are all ordinary, in plain numbers: the same decisions, fills and equity as the full engine,
 * which takes over where one is not. Throws what the strategy's `signals` throws.
 */
export function runExpress(setup: RunSetup): ExpressRun {
  const answers = new Answers();
  try {
    return arrive(setup, answers);
  } catch (error) {
    if (error instanceof LeavesExpress) return { kind: 'left', answers, why: error.message };
    throw error;
  }
}

function arrive(setup: RunSetup, answers: Answers): Arrived {
  const symbols = setup.securities.map(({ symbol }) => symbol);
  const program = programOf(setup);
  const start = startOf(symbols, setup.from);
  const cuts = setup.history.map((bars) => cutColumns(bars, start, program.warmup));
  const listensTo = hooksOf(setup.strategy);
  const hears = { each: listensTo.has('bar'), together: false };
  const tracks: readonly Track[] = cuts.map(({ columns }) =>
    createTrack({ columns, program, changes: [], now: () => world.now, hears }),
  );
  const world: ExpressWorld = new ExpressWorld(setup, tracks, start);
  const listener = new Listener({ setup, answers, world, tracks, symbols });
  let signals = 0;
  for (;;) {
    const time = nextCloseAt(tracks);
    world.advance(time);
    if (time === NEVER) break;
    const events = closesAt(tracks, time);
    world.close(time);
    for (const event of events) {
      if (event.kind === 'signal') signals += 1;
      if (listensTo.has(event.kind)) listener.hear(event);
    }
  }
  const { fills, orders } = world;
  const { isRounded } = world.account;
  const equity = world.curve(cuts);
  return {
    kind: 'arrived',
    answers,
    start,
    cuts,
    equity,
    fills: fills.columns(),
    signals,
    orders,
    isRounded,
  };
}

function nextCloseAt(tracks: readonly Track[]): Millis {
  let next = NEVER;
  for (const track of tracks) {
    const at = track.nextAt();
    if (at < next) next = at;
  }
  return next;
}

/** All bars of one instant, before anybody hears of them. */
function closesAt(tracks: readonly Track[], time: Millis): readonly MarketEvent[] {
  const [only] = tracks;
  if (tracks.length === 1 && only !== undefined) return only.take(time);
  return tracks.flatMap((track) => (track.nextAt() === time ? track.take(time) : []));
}

interface ListenerParts {
  readonly setup: RunSetup;
  readonly answers: Answers;
  readonly world: ExpressWorld;
  readonly tracks: readonly Track[];
  readonly symbols: readonly SecuritySymbol[];
}

/** Asks the strategy, keeps its answers, and has its orders sent. */
class Listener {
  readonly #parts: ListenerParts;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
  }

  hear(event: MarketEvent): void {
    const { answers, world } = this.#parts;
    let returned: Returned;
    try {
      returned = this.#ask(event);
    } catch (thrown) {
      answers.threw(thrown);
      leave('the strategy threw');
    }
    if (returned === undefined || returned === null) {
      answers.nothing();
      return;
    }
    for (const draft of this.#copied(returned)) world.send(draft);
  }

  /** Copies are kept: what the strategy does with its drafts later changes nothing. */
  #copied(returned: Returned): readonly OrdinaryDraft[] {
    const { answers } = this.#parts;
    const drafts: unknown = Array.isArray(returned) ? returned : [returned];
    try {
      const copies = (drafts as readonly OrderDraft[]).map(ordinaryDraft);
      answers.returned(copies.length === 1 ? copies[0] : copies);
      return copies;
    } catch (error) {
      answers.returned(returned);
      throw error;
    }
  }

  #ask(event: MarketEvent): Returned {
    const { strategy } = this.#parts.setup;
    switch (event.kind) {
      case 'signal':
        return strategy.onSignal?.(event, this.#context());
      case 'bar':
        return strategy.onBar?.(event, this.#context());
      default:
        return undefined;
    }
  }

  #context(): StrategyContext {
    const { setup, world, tracks, symbols } = this.#parts;
    const { now } = world;
    const views = world.account.views();
    const cash = fromUnits(world.account.cash);
    const trackOf = (symbol: string): Track | undefined => tracks[world.placeOf(symbol) ?? -1];
    return {
      params: setup.params,
      state: undefined,
      now,
      equity: world.equity(),
      cash: (currency) => (currency === setup.currency ? cash : 0),
      symbols,
      orders: orderDrafts,
      position: (symbol) => views[world.placeOf(symbol) ?? -1] ?? FLAT,
      lastPrice: (symbol) => trackOf(symbol)?.closeAt(now) ?? Number.NaN,
      value: (symbol, name) => trackOf(symbol)?.valueAt(name, now) ?? Number.NaN,
    };
  }
}

const FLAT = { quantity: 0, averageCost: 0, openBuys: 0, openSells: 0 };
