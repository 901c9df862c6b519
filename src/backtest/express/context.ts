import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { type PositionView, type StrategyContext, unknownSymbol } from '../../strategy/context.ts';
import { orderDrafts } from '../../strategy/order-draft.ts';
import type { PlainData } from '../../strategy/state.ts';
import type { RunSetup } from '../setup.ts';
import type { SymbolCursor } from './symbol-cursor.ts';
import type { ExpressWorld } from './world.ts';

const FLAT: PositionView = { quantity: 0, averageCost: 0, openBuys: 0, openSells: 0 };

/**
 * Makes what hooks see. A retained context keeps its values: what changes seldom (positions, cash) is shared
 * by all contexts between two changes, what changes with the instant is each context's own.
 */
export class ContextMaker {
  /** What the strategy remembers; undefined where it declares no state. */
  state: PlainData | undefined;
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

  /** The context of now, for the events of a cursor at this instant. */
  now(cursor: SymbolCursor): StrategyContext {
    const world = this.#world;
    if (world.account.changes !== this.#changes) this.#show();
    return this.#at(world, cursor, cursor.row);
  }

  /** The context of an instant at which nothing closed: each symbol as it was known then. */
  at(now: Millis): StrategyContext {
    const world = this.#world;
    if (world.account.changes !== this.#changes) this.#show();
    return {
      params: this.#params,
      state: this.state,
      now,
      equity: world.equity(),
      cash: this.#cash,
      symbols: this.#symbols,
      orders: orderDrafts,
      position: this.#position,
      lastPrice: (symbol) => world.cursorOf(symbol).closeAt(now),
      value: (symbol, name) => world.cursorOf(symbol).valueAt(name, now),
    };
  }

  /**
   * That context. Its two functions know a row, as an instant would be boxed separately; and they do no more than call, as what a hook calls
   * has to fit into one piece of compiled code with it, each call for itself.
   */
  #at({ now, equityAtClose }: ExpressWorld, cursor: SymbolCursor, row: number): StrategyContext {
    return {
      params: this.#params,
      state: this.state,
      now,
      equity: equityAtClose,
      cash: this.#cash,
      symbols: this.#symbols,
      orders: orderDrafts,
      position: this.#position,
      lastPrice: (symbol) => cursor.lastPrice(symbol, row),
      value: (symbol, name) => cursor.value(symbol, name, row),
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
    this.#position = (symbol) =>
      symbol === first ? view : (views[world.placeOf(symbol)] ?? unknownSymbol(symbol, this.#symbols));
    if (account.amount !== this.#amount) this.#showCash(account.amount);
  }

  #showCash(amount: number): void {
    const own = this.#currency;
    this.#amount = amount;
    this.#cash = (currency) => (currency === own ? amount : 0);
  }
}
