import { toWholeLots } from '../../markets/lots.ts';
import {
  type Amount,
  add,
  amountOfDouble,
  compare,
  max,
  min,
  multiply,
  subtract,
} from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import type { SymbolMarket } from '../market/market-replay.ts';
import { barOf, type PrintIndex } from '../market/tape.ts';
import type { FillModel } from '../models.ts';
import type { VenueOrder } from '../orders/venue-order.ts';
import { fillQuestion } from './slippage.ts';

/** Hands out the volume of prints, so that all orders together take no more of each than the model has room for. */
export class PrintVolume {
  readonly #participation: number | undefined;
  readonly #own: FillModel['own'];
  readonly #barMatcher: boolean;
  readonly #taken = new Map<number, { readonly index: PrintIndex; readonly quantity: Amount }>();

  constructor(model: FillModel) {
    this.#participation = model.participation;
    this.#own = model.own;
    this.#barMatcher = model.matching.kind === 'whole-bars';
  }

  /** What an order that wants `rest` gets of a print, in whole lots; all of it without a cap. */
  take(order: VenueOrder, rest: Amount, price: Price, symbolMarket: SymbolMarket, index: PrintIndex): Amount {
    const maxAffordableQuantity = this.#mostOf(order, rest, price, symbolMarket, index);
    if (maxAffordableQuantity === undefined) return rest;
    const { lotSize } = order.security;
    const taken = this.#takenOf(symbolMarket, index);
    const step = compare(rest, amountOfDouble(lotSize)) < 0 ? Math.min(1, lotSize) : lotSize;
    const room = toWholeLots(max(0, subtract(maxAffordableQuantity, taken)), step);
    const quantity = max(0, min(rest, room));
    this.#taken.set(symbolMarket.place, { index, quantity: add(taken, quantity) });
    return quantity;
  }

  /** Shares that orders may take of a print, by the share of its volume and by a custom model. */
  #mostOf(
    order: VenueOrder,
    rest: Amount,
    price: Price,
    symbolMarket: SymbolMarket,
    index: PrintIndex,
  ): Amount | undefined {
    const own = this.#own?.room?.(
      fillQuestion(order, {
        ...{ quantity: rest, price, volume: this.#volumeOf(symbolMarket, index) },
        bar: symbolMarket.tape.figures(barOf(index)),
      }),
    );
    const share =
      this.#participation === undefined
        ? undefined
        : multiply(
            amountOfDouble(this.#volumeOf(symbolMarket, index)),
            amountOfDouble(this.#participation),
            'exact',
          );
    if (own === undefined || own === Number.POSITIVE_INFINITY) return share;
    const room = amountOfDouble(own);
    return share === undefined ? room : min(share, room);
  }

  /** Shares: those of the print, or of the whole bar where orders meet that, and in an auction. */
  #volumeOf({ tape }: SymbolMarket, index: PrintIndex): number {
    const bar = barOf(index);
    return this.#barMatcher || tape.isAuction(bar) ? tape.figures(bar).volume : tape.volume(index);
  }

  #takenOf(symbolMarket: SymbolMarket, index: PrintIndex): Amount {
    const taken = this.#taken.get(symbolMarket.place);
    return taken?.index === index ? taken.quantity : 0;
  }
}
