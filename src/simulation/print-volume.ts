import { Decimal, type Quantity } from '../model/decimal.ts';
import type { Lane } from './floor.ts';
import type { FillModel } from './models.ts';
import { barOf, type PrintIndex } from './tape.ts';

/** Hands out the volume of prints, so that all orders together take no more than the model's share of each. */
export class PrintVolume {
  readonly #participation: number | undefined;
  readonly #wholeBars: boolean;
  readonly #taken = new Map<number, { readonly index: PrintIndex; readonly quantity: Decimal }>();

  constructor(model: FillModel) {
    this.#participation = model.participation;
    this.#wholeBars = model.matching.kind === 'whole-bars';
  }

  /** What an order that wants `rest` gets of a print, in whole lots; all of it without a cap. */
  take(rest: Quantity, lane: Lane, index: PrintIndex, lotSize: number): Quantity {
    if (this.#participation === undefined) return rest;
    const taken = this.#takenOf(lane, index);
    const share = new Decimal(this.#volumeOf(lane, index)).times(this.#participation).minus(taken);
    const step = rest.lt(lotSize) ? 1 : lotSize;
    const room = share.div(step).floor().times(step);
    const quantity = Decimal.max(0, Decimal.min(rest, room));
    this.#taken.set(lane.place, { index, quantity: taken.plus(quantity) });
    return quantity;
  }

  /** Shares: those of the print, or of the whole bar where orders meet that. */
  #volumeOf({ tape }: Lane, index: PrintIndex): number {
    return this.#wholeBars ? tape.figures(barOf(index)).volume : tape.volume(index);
  }

  #takenOf(lane: Lane, index: PrintIndex): Decimal {
    const taken = this.#taken.get(lane.place);
    return taken?.index === index ? taken.quantity : new Decimal(0);
  }
}
