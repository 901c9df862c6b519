import { UNITS } from '../../events/curve/fill-columns.ts';
import { toDouble } from '../../model/amount.ts';
import type { Security } from '../../model/security.ts';
import { creditLineOf } from '../../simulation/buying-power/account-view.ts';
import { needsMargin } from '../../simulation/buying-power/funds-check.ts';
import { factorsUnder } from '../../simulation/buying-power/margin.ts';
import { OpeningSplit } from '../../simulation/buying-power/opening-split.ts';
import type { RunSetup } from '../setup.ts';
import type { ExpressAccount } from './account.ts';
import { bailOut, SLACK } from './bail-out.ts';
import { type GateFigures, type MoneyRules, UNCLEAR } from './gate.ts';
import type { OpenOrder, OpenOrders } from './open-order.ts';

/** The venue rounds each position's margin to a millionth. */
const ROUNDING = 1 / UNITS;

interface PowerSources {
  readonly setup: Pick<RunSetup, 'securities' | 'margin' | 'short'>;
  readonly account: ExpressAccount;
  readonly waiting: OpenOrders;
  /** The newest price of a place. */
  readonly price: (place: number) => number;
}

/**
 * What an account that borrows cash or shares may open: the same sums as `AccountView` and `buyLimitOf` in float64, which can be off by
 * `#slack`. Within that, the verdict is unclear, and the rules decide on exact amounts.
 */
export class BuyingPower implements MoneyRules {
  readonly #sources: PowerSources;
  readonly #creditLine: number;
  readonly #initial: readonly number[];
  readonly #maintenance: readonly number[];
  /** Cash, and credit if there is any, that no purchase reserves. */
  #funds = 0;
  /** Equity that neither positions nor open orders take up. */
  #power = 0;
  /** Maintenance margin less equity: a margin call above zero. */
  #call = 0;
  #slack = 0;
  /** Price and charges of a purchase. */
  #cost = 0;
  /** Initial margin and charges of what the order opens; below zero without bound where it opens nothing. */
  #needed = 0;
  /** Initial margin of the order at its own price or the quote. */
  #margin = 0;

  /** The buying power of a run; undefined for a cash account that is never short: its cash is all that counts. */
  static of(opening: number, sources: PowerSources): BuyingPower | undefined {
    const { margin, short = false } = sources.setup;
    return needsMargin({ model: margin, short }) ? new BuyingPower(opening, sources) : undefined;
  }

  private constructor(opening: number, sources: PowerSources) {
    const { securities, margin } = sources.setup;
    this.#sources = sources;
    const factors = securities.map((security) => factorsUnder(margin, security));
    this.#initial = factors.map(({ initial }) => initial.toNumber());
    this.#maintenance = factors.map(({ maintenance }) => maintenance.toNumber());
    this.#creditLine = margin.kind === 'margin' ? toDouble(creditLineOf(opening, margin)) : 0;
  }

  /** Computes what an order asks for and what there is. `figures` have the order and the account's equity. */
  weigh({ place, side, quantity, reservedAt }: OpenOrder, figures: GateFigures): void {
    const { account, setup } = this.#sources;
    const { now, equity, cost, limit, quote } = figures;
    this.#weighAccount(equity);
    const opened = side === 1 ? quantity : this.#soldShort(place, quantity);
    const initial = this.#initial[place] as number;
    const notional = opened * reservedAt;
    const charges =
      side === 1
        ? cost - quantity * reservedAt
        : account.sellingCharge(place, now, opened, Math.round(notional * UNITS));
    // Cash pays for purchases alone; of a sale the venue only asks for margin.
    this.#cost = side === 1 ? cost : Number.NEGATIVE_INFINITY;
    this.#needed = opened === 0 ? Number.NEGATIVE_INFINITY : notional * initial + charges;
    if (side === -1 && opened > 0 && setup.short !== true) this.#needed = Number.POSITIVE_INFINITY;
    this.#margin = quantity * (limit || quote) * initial;
  }

  /** The first of the rules about money that denies an opening order, or `UNCLEAR`; undefined if they pass it. */
  rule(headroom: number): string | undefined {
    return (
      this.#denies(this.#cost - this.#funds, 'buy-limit') ??
      this.#denies(this.#needed - this.#power, 'buy-limit') ??
      this.#denies(this.#call, 'margin-headroom') ??
      this.#denies(this.#margin - this.#power * (1 - headroom), 'margin-headroom')
    );
  }

  /**
   * Bails out if the venue may reject an order that the gate has approved: the gate asks nothing about an order that closes a position, and
   * the venue charges a sale that closes and opens for all of its shares.
   */
  demandCovered({ place, side, quantity, reservedAt }: OpenOrder, { now, opens }: GateFigures): void {
    if (side === 1) {
      if (!opens && !(this.#cost <= this.#funds - this.#slack)) bailOut('a cover that cash may not pay for');
      return;
    }
    const opened = this.#soldShort(place, quantity);
    if (opened === 0 || opened === quantity) return;
    const notional = opened * reservedAt;
    const charges = this.#sources.account.sellingCharge(place, now, quantity, Math.round(notional * UNITS));
    const needed = notional * (this.#initial[place] as number) + charges;
    if (!(needed <= this.#power - this.#slack)) bailOut('a short sale that the venue may reject');
  }

  #denies(excess: number, rule: string): string | undefined {
    if (excess <= -this.#slack) return undefined;
    return excess >= this.#slack ? rule : UNCLEAR;
  }

  #weighAccount(equity: number): void {
    const { account, price, waiting } = this.#sources;
    const { held, holdings, amount } = account;
    let [initial, maintenance, gross] = [0, 0, Math.abs(amount) + this.#creditLine];
    for (let index = 0; index < holdings.count; index += 1) {
      const place = holdings.places[index] as number;
      const value = Math.abs((held[place] as number) * price(place));
      initial += value * (this.#initial[place] as number);
      maintenance += value * (this.#maintenance[place] as number);
      gross += value;
    }
    this.#funds = this.#creditLine + amount - account.reserved;
    this.#power = equity - initial - (waiting.count === 0 ? 0 : this.#reservedMargin());
    this.#call = maintenance - equity;
    this.#slack = (holdings.count + waiting.count + 4) * ROUNDING + (gross + account.reserved) * SLACK;
  }

  /** Initial margin and charges of what open orders open, oldest first. */
  #reservedMargin(): number {
    const { account, waiting } = this.#sources;
    const splits = new Map<number, OpeningSplit>();
    let sum = 0;
    for (let index = 0; index < waiting.count; index += 1) {
      const { place, side, quantity, type, reservedAt, reserve } = waiting.at(index);
      const split = splits.get(place) ?? new OpeningSplit(account.held[place] as number);
      splits.set(place, split);
      const sent = side === 1 ? 'buy' : 'sell';
      const opening = Number(
        type === 'MIT' ? split.openingIfMet(sent, quantity) : split.opening(sent, quantity),
      );
      if (opening > 0) sum += opening * reservedAt * (this.#initial[place] as number);
      if (side === 1) sum += reserve - quantity * reservedAt;
    }
    return sum;
  }

  /** Shares of a sale that nothing is held for, in whole lots; what waits for its trigger holds none. */
  #soldShort(place: number, quantity: number): number {
    const { account, waiting, setup } = this.#sources;
    const free = (account.held[place] as number) - waiting.onSale(place);
    const { lotSize } = setup.securities[place] as Security;
    return Math.ceil(Math.max(0, quantity - Math.max(0, free)) / lotSize) * lotSize;
  }
}
