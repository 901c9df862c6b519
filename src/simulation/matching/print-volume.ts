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
import { barOf, type PrintIndex, type Tape } from '../market/tape.ts';
import type { FillModel } from '../models.ts';
import type { VenueOrder } from '../orders/venue-order.ts';
import { fillQuestion } from './slippage.ts';

/** Allocates the volume of prints, so that all orders together take no more of each than the model allows. */
export class PrintVolume {
  readonly #participation: number | undefined;
  readonly #customModel: FillModel['own'];
  readonly #barMatcher: boolean;
  readonly #taken = new Map<
    number,
    { readonly tape: Tape; readonly index: PrintIndex; readonly quantity: Amount }
  >();

  constructor(model: FillModel) {
    this.#participation = model.participation;
    this.#customModel = model.own;
    this.#barMatcher = model.matching.kind === 'whole-bars';
  }

  /** Returns the quantity in whole lots that an order may take of a print; `rest` if there is no limit. */
  take(order: VenueOrder, rest: Amount, price: Price, symbolMarket: SymbolMarket, index: PrintIndex): Amount {
    const customMax = this.#customModel?.room?.(
      fillQuestion(order, {
        quantity: rest,
        price,
        volume: this.#volumeOf(symbolMarket.tape, index),
        bar: symbolMarket.tape.figures(barOf(index)),
      }),
    );
    const limit =
      customMax === undefined || customMax === Number.POSITIVE_INFINITY
        ? undefined
        : amountOfDouble(customMax);
    return this.takeAtMost(limit, rest, order.security.lotSize, symbolMarket, index);
  }

  /** Like `take`, limited by the participation rate and `limit`. */
  takeAtMost(
    limit: Amount | undefined,
    rest: Amount,
    lotSize: number,
    { tape, place }: Pick<SymbolMarket, 'tape' | 'place'>,
    index: PrintIndex,
  ): Amount {
    const share = this.#shareOf(tape, index);
    const offered = limit === undefined || share === undefined ? (limit ?? share) : min(share, limit);
    if (offered === undefined) return rest;
    const known = this.#taken.get(place);
    const taken = known?.index === index && known.tape === tape ? known.quantity : 0;
    const step = compare(rest, amountOfDouble(lotSize)) < 0 ? Math.min(1, lotSize) : lotSize;
    const room = toWholeLots(max(0, subtract(offered, taken)), step);
    const quantity = max(0, min(rest, room));
    this.#taken.set(place, { tape, index, quantity: add(taken, quantity) });
    return quantity;
  }

  /** Returns the shares of a print available under the participation rate; undefined without a limit. */
  #shareOf(tape: Tape, index: PrintIndex): Amount | undefined {
    if (this.#participation === undefined) return undefined;
    const volume = amountOfDouble(this.#volumeOf(tape, index));
    return multiply(volume, amountOfDouble(this.#participation), 'exact');
  }

  /** Returns the shares of the print; those of the whole bar for whole-bar matching and auctions. */
  #volumeOf(tape: Tape, index: PrintIndex): number {
    const bar = barOf(index);
    return this.#barMatcher || tape.isAuction(bar) ? tape.figures(bar).volume : tape.volume(index);
  }
}
