import { midnightOf } from '../../markets/sessions.ts';
import { tickChangesAfter } from '../../markets/ticks.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis, NEVER, utcDay } from '../../model/time.ts';
import { type PositionView, type StrategyContext, unknownSymbol } from '../../strategy/context.ts';
import { orderDrafts } from '../../strategy/order-draft.ts';
import {
  figuresOf,
  type SecurityFigures,
  type SecurityFunctions,
  securityFunctions,
} from '../../strategy/security-figures.ts';
import type { PlainData } from '../../strategy/state.ts';
import type { RunSetup } from '../setup.ts';
import type { SymbolCursor } from './symbol-cursor.ts';
import type { ExpressWorld } from './world.ts';

/** Before the first ladder of any market. */
const FIRST_DAY = utcDay(millis(0));

const FLAT: PositionView = { quantity: 0, averageCost: 0, openBuys: 0, openSells: 0 };

/**
 * Creates the contexts of hooks. Retained contexts keep their values; they share positions and cash until these
 * change.
 */
export class ContextFactory {
  /** State of the strategy; undefined if it declares none. */
  state: PlainData | undefined;
  readonly #world: ExpressWorld;
  readonly #params: RunSetup['params'];
  readonly #currency: string;
  readonly #symbols: readonly SecuritySymbol[];
  /** Value of the account's `changes` at the last update. */
  #changes = -1;
  /** Cash at the last update. */
  #cashAmount = Number.NaN;
  #position: StrategyContext['position'] = () => FLAT;
  #cash: StrategyContext['cash'] = () => 0;
  readonly #figures: readonly SecurityFigures[];
  /** Functions of the securities; replaced on the days on which a tick ladder changes. */
  #functions: SecurityFunctions;
  #functionsUntil: Millis = millis(0);
  readonly #ladderChanges: readonly Millis[];

  constructor({ params, currency, securities }: RunSetup, world: ExpressWorld) {
    this.#figures = securities.map((security) => figuresOf(security, 1));
    this.#ladderChanges = ladderChanges(securities);
    this.#world = world;
    this.#params = params;
    this.#currency = currency;
    this.#symbols = securities.map(({ symbol }) => symbol);
    this.#functions = securityFunctions((symbol) => this.#seen(symbol), millis(0));
  }

  /** Returns the context at the current time, for the events of a cursor. */
  now(cursor: SymbolCursor): StrategyContext {
    const world = this.#world;
    if (world.account.changes !== this.#changes) this.#updatePositions();
    if (world.now >= this.#functionsUntil) this.#renewFunctions(world.now);
    return this.#at(world, cursor, cursor.row);
  }

  /** Returns the context at a time without a close: each symbol as known then. */
  at(now: Millis): StrategyContext {
    const world = this.#world;
    if (world.account.changes !== this.#changes) this.#updatePositions();
    if (now >= this.#functionsUntil) this.#renewFunctions(now);
    const { lotSize, tickSize, roundToTick, sharesFor } = this.#functions;
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
      lotSize,
      tickSize,
      roundToTick,
      sharesFor,
    };
  }

  /**
   * Creates a context. Its two functions capture a row, because a time would be boxed, and only forward the call, so
   * that V8 can inline them into hooks.
   */
  #at({ now, equityAtClose }: ExpressWorld, cursor: SymbolCursor, row: number): StrategyContext {
    const { lotSize, tickSize, roundToTick, sharesFor } = this.#functions;
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
      lotSize,
      tickSize,
      roundToTick,
      sharesFor,
    };
  }

  #updatePositions(): void {
    const world = this.#world;
    const { account } = world;
    const views = account.views();
    const [first] = this.#symbols;
    const [view = FLAT] = views;
    this.#changes = account.changes;
    // Most runs trade one security.
    this.#position = (symbol) =>
      symbol === first ? view : (views[world.placeOf(symbol)] ?? unknownSymbol(symbol, this.#symbols));
    if (account.cashAmount !== this.#cashAmount) this.#updateCash(account.cashAmount);
  }

  #renewFunctions(now: Millis): void {
    this.#functions = securityFunctions((symbol) => this.#seen(symbol), now);
    this.#functionsUntil = this.#ladderChanges.find((at) => at > now) ?? NEVER;
  }

  #seen(symbol: SecuritySymbol): SecurityFigures {
    return this.#figures[this.#world.placeOf(symbol)] ?? unknownSymbol(symbol, this.#symbols);
  }

  #updateCash(amount: number): void {
    const own = this.#currency;
    this.#cashAmount = amount;
    this.#cash = (currency) => (currency === own ? amount : 0);
  }
}

/** Returns when tick ladders of the securities change, ascending. */
function ladderChanges(securities: RunSetup['securities']): readonly Millis[] {
  const changes = securities.flatMap((security) =>
    tickChangesAfter(security, FIRST_DAY).map((day) => midnightOf(marketOf(security.symbol), day)),
  );
  return changes.toSorted((one, other) => one - other);
}
