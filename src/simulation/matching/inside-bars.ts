import type { Side } from '../../model/order.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import type { MarketReplay, SymbolMarket } from '../market/market-replay.ts';
import { PRINTS_PER_BAR } from '../market/prints.ts';
import { barOf, type PrintIndex, stepOf } from '../market/tape.ts';
import type { VenueOrder } from '../orders/venue-order.ts';

/**
 * Limits what requests that arrive inside a bar may match of it. The second and third tick of a bar are its extremes by
 * construction, so a strategy that reads ticks would know that the price goes no further. Therefore nothing sent after
 * the open tick matches an extreme, and no working order escapes one.
 * @see docs/adr/0060-inside-a-bar-only-its-close.md
 */
export class InsideBars {
  readonly #replay: MarketReplay;
  readonly #isOn: boolean;

  /** `isOn` is false for real ticks, and if the config requests fills at the current tick. */
  constructor(replay: MarketReplay, isOn: boolean) {
    this.#replay = replay;
    this.#isOn = isOn;
  }

  /**
   * Records what an order that begins to work, or to watch, may match of the running bar. Returns true if it may match
   * the current tick: never an extreme; the open or close unless the order was sent at that very tick without a fill at
   * that instant.
   */
  recordArrival(order: VenueOrder, symbolMarket: SymbolMarket): boolean {
    order.insideFrom = undefined;
    const tick = this.#currentTick(symbolMarket);
    if (tick === undefined) return true;
    if (isExtreme(tick)) {
      order.insideFrom = closeTickOf(tick);
      return false;
    }
    const { sent } = order;
    return sent.on !== tick || sent.followsFill || symbolMarket.tape.time(tick) !== sent.at;
  }

  /**
   * Defers an order that may not trade at the open tick to the close tick; at the close tick it waits for the next bar.
   */
  defer(order: VenueOrder, symbolMarket: SymbolMarket): void {
    const tick = this.#currentTick(symbolMarket);
    if (tick !== undefined && stepOf(tick) === 0) order.insideFrom = closeTickOf(tick);
  }

  /** Makes the rest of an order triggered at an extreme wait for the close tick. */
  deferRest(order: VenueOrder, symbolMarket: SymbolMarket, index: PrintIndex): void {
    if (this.#isOn && !symbolMarket.tape.isLive && isExtreme(index)) order.insideFrom = closeTickOf(index);
  }

  /**
   * Returns when a cancel or replacement takes effect that arrives between the extremes of a bar, for an order that the
   * second extreme touches: at the close tick, because the order of the extremes is unknown. Undefined if it takes
   * effect at once, as it does after a fill on the same side in this bar: between a stop and a target, the path
   * decides.
   */
  deferredUntil(
    order: VenueOrder,
    symbolMarket: SymbolMarket,
    lastFill: { readonly side: Side; readonly at: Millis } | undefined,
  ): Millis | undefined {
    const tick = this.#currentTick(symbolMarket);
    if (tick === undefined || stepOf(tick) !== 1 || order.touch !== tick + 1) return undefined;
    const openedAt = symbolMarket.tape.time(barOf(tick) * PRINTS_PER_BAR);
    if (lastFill?.side === order.terms.side && lastFill.at >= openedAt) return undefined;
    const closeTickAt = symbolMarket.tape.time(closeTickOf(tick));
    return closeTickAt === NEVER ? undefined : closeTickAt;
  }

  /** Returns the latest tick of the running bar; undefined between bars, in auctions, and for real ticks. */
  #currentTick(symbolMarket: SymbolMarket): PrintIndex | undefined {
    if (!this.#isOn || symbolMarket.tape.isLive) return undefined;
    const tick = this.#replay.currentPrint(symbolMarket);
    return tick === undefined || symbolMarket.tape.isAuction(barOf(tick)) ? undefined : tick;
  }
}

/** True for the two extremes of a bar. */
export function isExtreme(index: PrintIndex): boolean {
  const step = stepOf(index);
  return step === 1 || step === 2;
}

export function closeTickOf(index: PrintIndex): PrintIndex {
  return (barOf(index) + 1) * PRINTS_PER_BAR - 1;
}
