import type { SecuritySymbol } from '../../model/symbol.ts';
import type { PositionView, StrategyContext } from '../../strategy/context.ts';
import { orderDrafts } from '../../strategy/order-draft.ts';
import type { RunSetup } from '../setup.ts';
import type { Lane } from './lane.ts';
import type { ExpressWorld } from './world.ts';

const FLAT: PositionView = { quantity: 0, averageCost: 0, openBuys: 0, openSells: 0 };

function lastPriceOf(world: ExpressWorld, symbol: SecuritySymbol, at: number): number {
  return world.laneOf(symbol)?.closeAt(at) ?? Number.NaN;
}

interface ValueName {
  readonly symbol: SecuritySymbol;
  readonly name: string;
  readonly at: number;
}

function seriesValueOf(world: ExpressWorld, { symbol, name, at }: ValueName): number {
  return world.laneOf(symbol)?.valueAt(name, at) ?? Number.NaN;
}

/**
 * Makes what hooks see. A context that is kept goes on saying what it said: what changes seldom (positions, cash) is shared
 * by all contexts between two changes, what changes with the instant is each context's own.
 */
export class ContextMaker {
  readonly #world: ExpressWorld;
  readonly #params: RunSetup['params'];
  readonly #currency: string;
  readonly #symbols: readonly SecuritySymbol[];
  /** Changes of the account that these tell of. */
  #changes = -1;
  /** Cash that `#cash` tells. */
  #amount = Number.NaN;
  #position: StrategyContext['position'] = () => FLAT;
  #cash: StrategyContext['cash'] = () => 0;

  constructor({ params, currency, securities }: RunSetup, world: ExpressWorld) {
    this.#world = world;
    this.#params = params;
    this.#currency = currency;
    this.#symbols = securities.map(({ symbol }) => symbol);
  }

  /** The context of now, for what a lane tells. */
  now(lane: Lane): StrategyContext {
    const world = this.#world;
    const { now } = world;
    // Hooks ask most of what the event is about.
    const own = lane.columns.symbol;
    if (world.account.changes !== this.#changes) this.#show();
    return {
      params: this.#params,
      state: undefined,
      now,
      equity: world.equityAtClose,
      cash: this.#cash,
      symbols: this.#symbols,
      orders: orderDrafts,
      position: this.#position,
      lastPrice: (symbol) => (symbol === own ? lane.closeAt(now) : lastPriceOf(world, symbol, now)),
      value: (symbol, name) =>
        symbol === own ? lane.valueAt(name, now) : seriesValueOf(world, { symbol, name, at: now }),
    };
  }

  #show(): void {
    const world = this.#world;
    const { account } = world;
    const views = account.views();
    const [first] = this.#symbols;
    const [view = FLAT] = views;
    this.#changes = account.changes;
    // Most runs trade one security.
    this.#position = (symbol) => (symbol === first ? view : (views[world.placeOf(symbol)] ?? FLAT));
    if (account.amount !== this.#amount) this.#showCash(account.amount);
  }

  #showCash(amount: number): void {
    const own = this.#currency;
    this.#amount = amount;
    this.#cash = (currency) => (currency === own ? amount : 0);
  }
}
