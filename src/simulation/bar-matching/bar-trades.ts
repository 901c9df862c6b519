import {
  type Amount,
  absolute,
  add,
  isPositive,
  min,
  multiply,
  negate,
  ONE,
  subtract,
  toAmount,
  toDecimal,
} from '../../model/amount.ts';
import type { Decimal, Price } from '../../model/decimal.ts';
import type { Millis } from '../../model/time.ts';
import type { AccountState } from '../account-state.ts';
import { converted } from '../books/exchange-rates.ts';
import { closedBy } from '../books/holdings.ts';
import { maxAffordableQuantity } from '../buying-power/buy-limit.ts';
import { availableForOpening, openingProblem } from '../buying-power/cover-at-fill.ts';
import type { SymbolMarket } from '../market/market-replay.ts';
import { barOf, type PrintIndex } from '../market/tape.ts';
import type { VenueContext } from '../matching/venue-context.ts';
import type { WholeBars } from '../models.ts';
import { isOpenOrder, restOf, setTerms, type VenueOrder } from '../orders/venue-order.ts';
import { exitsOf } from './exits.ts';
import { type Tranche, Tranches } from './tranches.ts';

interface BarTradeSources extends VenueContext {
  readonly rule: WholeBars;
  readonly enqueue: (exit: VenueOrder, place: 'front' | 'back') => void;
}

interface MatchedBar {
  readonly price: Price;
  readonly at: Millis;
  readonly symbolMarket: SymbolMarket;
  readonly index: PrintIndex;
  readonly hadStop: boolean;
}

/**
 * Executes a matched order: sizes it, closes opposite positions, and opens the rest if the account covers it. A
 * position that it opens gets the exits attached to the order.
 */
export class BarTrades {
  readonly #sources: BarTradeSources;
  readonly #tranches = new Map<string, Tranches>();

  constructor(sources: BarTradeSources) {
    this.#sources = sources;
  }

  tranches(account: string, symbol: string): Tranches {
    const key = `${account}/${symbol}`;
    let tranches = this.#tranches.get(key);
    if (tranches === undefined) {
      tranches = new Tranches();
      this.#tranches.set(key, tranches);
    }
    return tranches;
  }

  /** Returns the tranche that an order closes; undefined if nothing of it is left. */
  trancheClosedBy(order: VenueOrder): Tranche | undefined {
    const { closes } = order.extras;
    return closes === undefined ? undefined : this.#tranchesOf(order).of(closes);
  }

  /** Trades the order. Returns true if its exits must match this bar too. */
  trade(order: VenueOrder, met: MatchedBar): boolean {
    if (order.extras.closes !== undefined) {
      this.#closeTranche(order, met);
      return false;
    }
    if (order.extras.fraction !== undefined && !this.#sizeByFraction(order, order.extras.fraction, met))
      return false;
    this.#closeOpposite(order, met);
    return isOpenOrder(order) && this.#open(order, met);
  }

  /** Resizes the exits of a tranche to its remaining quantity, or cancels them when nothing remains. */
  resizeExits(tranche: Tranche): void {
    const { lifecycle } = this.#sources;
    for (const exit of [tranche.stopLoss, tranche.takeProfit]) {
      if (exit === undefined || !isOpenOrder(exit)) continue;
      if (tranche.left === 0) lifecycle.finish(exit, 'CanceledStatus');
      else {
        setTerms(exit, { ...exit.terms, quantity: toDecimal(add(exit.executed, tranche.left)) });
        lifecycle.emitStatus(exit);
      }
    }
  }

  #closeTranche(order: VenueOrder, met: MatchedBar): void {
    const tranche = this.trancheClosedBy(order);
    if (tranche !== undefined) this.#close(order, tranche, min(restOf(order), tranche.left), met);
    if (tranche === undefined || tranche.left === 0) {
      this.#sources.lifecycle.finish(order, 'CanceledStatus', 'Nothing is left to close');
    }
  }

  #closeOpposite(order: VenueOrder, met: MatchedBar): void {
    const { side } = order.terms;
    const rest = restOf(order);
    const { positions } = this.#sources.rule;
    if (positions === 'hedged') return;
    if (positions === 'tranches') {
      for (const { tranche, quantity } of this.#tranchesOf(order).closedBy(side, rest)) {
        this.#close(order, tranche, quantity, met);
      }
      return;
    }
    const held = this.#accountOf(order).books.held(order.terms.symbol);
    const closed = closedBy(held, side === 'buy' ? rest : negate(rest));
    if (isPositive(closed)) this.#fill(order, met.price, met, closed);
  }

  #close(order: VenueOrder, tranche: Tranche, quantity: Amount, met: MatchedBar): void {
    const closed = this.#fill(order, met.price, met, quantity);
    this.#tranchesOf(order).close({ tranche, quantity: closed });
    this.resizeExits(tranche);
  }

  #open(order: VenueOrder, met: MatchedBar): boolean {
    const { lifecycle, rule } = this.#sources;
    const { side } = order.terms;
    const factor = openingFactor(side, rule);
    const hedgedValue = this.#hedgedValue(order);
    const opening = {
      order,
      quantity: restOf(order),
      price: toAmount(met.price),
      factor,
      at: met.at,
      hedgedValue,
    };
    const { funding } = this.#accountOf(order);
    const problem = openingProblem(opening, funding);
    const isCut = problem !== undefined && funding.model.shortfall === 'cut';
    const rest = isCut ? this.#affordable(order, ONE, met) : restOf(order);
    if (problem !== undefined && (!isCut || rest === 0)) {
      lifecycle.finish(order, 'RejectedStatus', problem);
      return false;
    }
    if (rule.billing === 'part') lifecycle.startNewCharge(order);
    const opened = this.#fill(order, toDecimal(multiply(toAmount(met.price), factor, 'exact')), met, rest);
    if (isCut) lifecycle.finish(order, 'CanceledStatus', 'Cut to what the account can pay for');
    if (rule.positions === 'net' || opened === 0) return false;
    const tranche = this.#tranchesOf(order).open(order.id, side, opened);
    return this.#addExits(order, tranche, met);
  }

  #addExits(order: VenueOrder, tranche: Tranche, met: MatchedBar): boolean {
    const { lifecycle, enqueue, nextOrderId, rule } = this.#sources;
    const { stopLoss, takeProfit } = order.extras;
    if (stopLoss === undefined && takeProfit === undefined) return false;
    if (tranche.stopLoss !== undefined || tranche.takeProfit !== undefined) {
      this.resizeExits(tranche);
      return false;
    }
    const exits = exitsOf({ entry: order, tranche, at: met.at, nextOrderId });
    for (const [exit, place] of exits) {
      lifecycle.addVenueOrder(exit);
      enqueue(exit, place);
    }
    return rule.exits === 'entry-bar' && exitsMayMatchEntryBar(order, met);
  }

  /** Returns the whole lots that a fraction of the available funds pays for, charges and spread included. */
  #affordable(order: VenueOrder, fraction: Amount, { price: met, at }: MatchedBar): Amount {
    const price = toAmount(met);
    const { rule, fills } = this.#sources;
    const { funding } = this.#accountOf(order);
    const { security, terms } = order;
    return maxAffordableQuantity(
      multiply(availableForOpening(security, funding, this.#hedgedValue(order)), fraction, 'exact'),
      {
        security: fills.checkLots ? security : { ...security, lotSize: 1 },
        side: terms.side,
        price,
        last: price,
        ratio: openingFactor(terms.side, rule),
        at,
      },
      funding,
    );
  }

  /**
   * Returns the value that an account's offsetting longs and shorts of the same symbols have beyond their net
   * positions, in the order's currency; 0 unless positions are hedged.
   */
  #hedgedValue({ accountId, security }: VenueOrder): Amount {
    const { rule, replay, lifecycle } = this.#sources;
    let hedgedValue: Amount = 0;
    if (rule.positions !== 'hedged') return hedgedValue;
    const { books, funding } = lifecycle.accountNamed(accountId);
    for (const { security: other } of books.everHeld()) {
      const gross = this.tranches(accountId, other.symbol).gross();
      const offsetting = subtract(gross, absolute(books.held(other.symbol)));
      const price = replay.lastAmount(other.symbol);
      if (offsetting === 0 || price === undefined) continue;
      const rate = funding.rates.rate(other.currency, security.currency);
      hedgedValue = add(hedgedValue, converted(multiply(offsetting, price, 'exact'), rate));
    }
    return hedgedValue;
  }

  #sizeByFraction(order: VenueOrder, fraction: Decimal, met: MatchedBar): boolean {
    const { lifecycle } = this.#sources;
    const quantity = this.#affordable(order, toAmount(fraction), met);
    if (quantity === 0) {
      lifecycle.finish(order, 'RejectedStatus', 'Insufficient funds: not even one lot is paid for');
      return false;
    }
    setTerms(order, { ...order.terms, quantity: toDecimal(min(order.quantity, quantity)) });
    return true;
  }

  #fill(order: VenueOrder, price: Price, met: MatchedBar, quantity: Amount): Amount {
    return this.#sources.lifecycle.fill(order, price, met.symbolMarket, met.index, quantity);
  }

  #tranchesOf(order: VenueOrder): Tranches {
    return this.tranches(order.accountId, order.terms.symbol);
  }

  #accountOf(order: VenueOrder): AccountState {
    return this.#sources.lifecycle.accountOf(order);
  }
}

function openingFactor(side: 'buy' | 'sell', rule: WholeBars): Amount {
  const spread = toAmount(rule.openingSpread);
  return side === 'buy' ? add(ONE, spread) : subtract(ONE, spread);
}

/**
 * True if the exits of an entry may match the entry's own bar: always for a market entry. For a stop entry only if the
 * bar reached the take-profit and never the stop-loss; never for a limit entry.
 */
function exitsMayMatchEntryBar(order: VenueOrder, { hadStop, symbolMarket, index }: MatchedBar): boolean {
  const { terms, extras } = order;
  if (terms.type === 'MO') return true;
  if (!hadStop || terms.price !== undefined || extras.takeProfit === undefined) return false;
  const high = symbolMarket.tape.columns.high[barOf(index)] as number;
  const low = symbolMarket.tape.columns.low[barOf(index)] as number;
  const { takeProfit, stopLoss } = extras;
  return terms.side === 'buy'
    ? takeProfit.lte(high) && (stopLoss?.lt(low) ?? true)
    : takeProfit.gte(low) && (stopLoss?.gt(high) ?? true);
}
