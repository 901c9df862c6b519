import type { Side } from '../../model/order.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import type { MarketReplay, SymbolMarket } from '../market/market-replay.ts';
import { PRINTS_PER_BAR } from '../market/prints.ts';
import { barOf, type PrintIndex, stepOf } from '../market/tape.ts';
import type { VenueOrder } from '../orders/venue-order.ts';

/**
 * What requests that arrive while a bar runs may still meet of it. The second and third tick of a bar are its extremes by
 * construction, so a rule that reads ticks knows at each of them what no market tells: that the price goes no further. Nothing
 * that was sent after the open tick meets an extreme, then, and nothing that waited from before escapes one.
 * @see docs/adr/0060-inside-a-bar-only-its-close.md
 */
export class InsideBars {
  readonly #replay: MarketReplay;
  readonly #isOn: boolean;

  /** `isOn` is false where ticks are real ones, or where the config asks for fills at the current tick. */
  constructor(replay: MarketReplay, isOn: boolean) {
    this.#replay = replay;
    this.#isOn = isOn;
  }

  /**
   * Notes what an order that begins to wait, or to watch, may meet of the running bar. Returns whether it may take the current
   * tick: never an extreme, and the open or the close only if it was not sent upon that very tick, unless a fill at that
   * tick brought it about.
   */
  begin(order: VenueOrder, symbolMarket: SymbolMarket): boolean {
    order.insideFrom = undefined;
    const tick = this.#running(symbolMarket);
    if (tick === undefined) return true;
    if (isExtreme(tick)) {
      order.insideFrom = closeTickOf(tick);
      return false;
    }
    const { sent } = order;
    return sent.on !== tick || sent.followsFill || symbolMarket.tape.time(tick) !== sent.at;
  }

  /** Lets an order that could trade at the current tick, and may not, wait for the close tick, or for the next bar. */
  defer(order: VenueOrder, symbolMarket: SymbolMarket): void {
    const tick = this.#running(symbolMarket);
    if (tick !== undefined && stepOf(tick) === 0) order.insideFrom = closeTickOf(tick);
  }

  /** What is left of an order whose condition an extreme has met waits for the close tick. */
  released(order: VenueOrder, symbolMarket: SymbolMarket, index: PrintIndex): void {
    if (this.#isOn && !symbolMarket.tape.isLive && isExtreme(index)) order.insideFrom = closeTickOf(index);
  }

  /**
   * When a cancel or new terms take effect that arrive between the extremes of a bar, of an order that the second of them touches:
   * at the close tick, as it is not known which extreme came first. Undefined where they take effect at once, as they do where an order
   * of the same side has filled in this bar: of a stop and a target, the path decides which one it was.
   */
  comesTooLate(
    order: VenueOrder,
    symbolMarket: SymbolMarket,
    lastFill: { readonly side: Side; readonly at: Millis } | undefined,
  ): Millis | undefined {
    const tick = this.#running(symbolMarket);
    if (tick === undefined || stepOf(tick) !== 1 || order.touch !== tick + 1) return undefined;
    const openedAt = symbolMarket.tape.time(barOf(tick) * PRINTS_PER_BAR);
    if (lastFill?.side === order.terms.side && lastFill.at >= openedAt) return undefined;
    const closeTickAt = symbolMarket.tape.time(closeTickOf(tick));
    return closeTickAt === NEVER ? undefined : closeTickAt;
  }

  /** The latest tick of the bar that runs; undefined between bars, and where ticks are real ones. */
  #running(symbolMarket: SymbolMarket): PrintIndex | undefined {
    if (!this.#isOn || symbolMarket.tape.isLive) return undefined;
    const tick = this.#replay.standing(symbolMarket);
    return tick === undefined || symbolMarket.tape.isAuction(barOf(tick)) ? undefined : tick;
  }
}

/** Whether a tick is one of the extremes of its bar. */
export function isExtreme(index: PrintIndex): boolean {
  const step = stepOf(index);
  return step === 1 || step === 2;
}

/** The close tick of the bar of a tick. */
export function closeTickOf(index: PrintIndex): PrintIndex {
  return (barOf(index) + 1) * PRINTS_PER_BAR - 1;
}
