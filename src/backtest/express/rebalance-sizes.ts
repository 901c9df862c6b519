import { draftFor, rebalanceOf } from '../../engine/rebalance-of.ts';
import { cashCovers } from '../../execution/algorithms/facts-for.ts';
import type { RebalanceOrder } from '../../execution/algorithms/rebalance.ts';
import type { RebalanceSpec, TargetHolding } from '../../model/algorithm.ts';
import { decimalOfDouble, toDecimal } from '../../model/amount.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { NEVER } from '../../model/time.ts';
import type { RebalanceDraft } from '../../strategy/order-draft.ts';
import { isWithinBand } from '../../strategy/sizing.ts';
import type { ExpressAccount } from './account.ts';
import { bailOut } from './bail-out.ts';
import { termsOf } from './exact-verdict.ts';
import type { LatestPrints } from './latest-prints.ts';
import type { OpenOrder, OpenOrders } from './open-order.ts';
import { intentIdOf } from './rebalances.ts';
import { type Sizing, sizeOrder, sizingFacts, styleOf } from './supported-draft.ts';
import type { SymbolCursor } from './symbol-cursor.ts';

interface RebalanceSizesParts {
  readonly account: ExpressAccount;
  readonly waiting: OpenOrders;
  readonly prints: LatestPrints;
  readonly symbols: readonly SecuritySymbol[];
  readonly cancelAfterMs: number | undefined;
  readonly placeOf: (symbol: SecuritySymbol) => number;
  readonly cursorNow: (place: number) => SymbolCursor;
  /** Returns the sizing input of a security at a price and an equity. */
  readonly sizingOf: (place: number, price: number, equity: number) => Sizing;
  /** Returns cash plus positions at their newest closes. */
  readonly equity: () => number;
  /** Returns cash plus positions at other prices. */
  readonly equityAtPrices: (priceOf: (place: number) => number) => number;
}

/** Sizes the orders of rebalances like `targetWeight`, with prices and equity at the newest closes. */
export class RebalanceSizes {
  /** Whether bars that close at the current time have not closed yet, as at the expiry of a day order. */
  isBeforeCloses = false;
  readonly #parts: RebalanceSizesParts;

  constructor(parts: RebalanceSizesParts) {
    this.#parts = parts;
  }

  /**
   * Returns the specification of a draft for the current positions and orders; bails out if the full engine would
   * raise an alarm.
   */
  specOf(draft: RebalanceDraft): RebalanceSpec {
    const { account, waiting, symbols, cancelAfterMs, placeOf } = this.#parts;
    const unknown = Object.keys(draft.weights).find((symbol) => placeOf(symbol as SecuritySymbol) < 0);
    if (unknown !== undefined) bailOut(`"${unknown}" is not traded`);
    const { held, openBuys, openSells } = account;
    const isKnown = (place: number): boolean =>
      held[place] !== 0 || openBuys[place] !== 0 || openSells[place] !== 0;
    const spec = rebalanceOf(draft, {
      known: symbols.filter((_, place) => isKnown(place)),
      before: waiting.list().map(({ number }) => intentIdOf(number)),
      cancelAfterMs,
      sizing: (symbol) => {
        const sizing = this.#sizingOf(placeOf(symbol));
        return { facts: sizingFacts(sizing), style: styleOf(sizing) };
      },
    });
    if (spec.kind === 'nothing') bailOut(spec.reason);
    for (const { symbol, weight } of spec.holdings) {
      const { expectedPosition, security } = this.#sizingOf(placeOf(symbol));
      if (weight === 0 && expectedPosition % security.lotSize !== 0) bailOut('an odd lot');
    }
    return spec;
  }

  /** Returns the order that changes the position, with open orders filled, to a weight. */
  orderTowards(holding: TargetHolding): RebalanceOrder | undefined {
    const { waiting, placeOf } = this.#parts;
    const place = placeOf(holding.symbol);
    const sizing = this.#sizingOf(place);
    if (holding.weight !== 0 && !(sizing.price > 0)) return 'unknown';
    if (isWithinBand(holding, sizingFacts(sizing))) return undefined;
    const order = waiting.unusedOrder();
    order.place = place;
    return sizeOrder(order, draftFor(holding), sizing) ? termsOf(order, sizing.security) : undefined;
  }

  /** Returns whether cash pays for an order in addition to all open purchases. */
  canAfford(terms: OrderTerms): boolean {
    const { account, waiting, placeOf } = this.#parts;
    const open = waiting.list().filter(({ side }) => side === 1);
    const wanted = {
      price: terms.price ?? this.#latest(placeOf(terms.symbol)),
      quantity: terms.quantity,
    };
    return cashCovers(
      toDecimal(account.cash),
      wanted,
      open.map((order) => this.#withPrice(order)),
    );
  }

  #withPrice({ place, type, level, quantity }: OpenOrder) {
    const price = type === 'LO' ? decimalOfDouble(level) : this.#latest(place);
    return { price, quantity: decimalOfDouble(quantity) };
  }

  #latest(place: number) {
    return decimalOfDouble(this.#parts.prints.price(place));
  }

  /**
   * Returns the newest close of a symbol; bails out while its first bar is open, when its price is that of the latest
   * print.
   */
  closeOf(place: number): number {
    const cursor = this.#parts.cursorNow(place);
    const { closed, columns, now, price } = cursor;
    if (closed < 0 && (columns.time[0] ?? NEVER) <= now) bailOut('the first bar of a symbol is still open');
    return this.isBeforeCloses ? cursor.closeAt(now - 1) : price;
  }

  #sizingOf(place: number): Sizing {
    const { equity, equityAtPrices, sizingOf } = this.#parts;
    const price = this.closeOf(place);
    return sizingOf(
      place,
      price,
      this.isBeforeCloses ? equityAtPrices((each) => this.closeOf(each)) : equity(),
    );
  }
}
