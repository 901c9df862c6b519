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
  /** Returns the newest price of a security. */
  readonly price: (place: number) => number;
}

/**
 * Computes what an account with borrowing may open: the sums of `AccountView` and `buyLimitOf` in float64, with an
 * error of at most `#slack`; within it the rules check exact amounts.
 */
export class BuyingPower implements MoneyRules {
  readonly #sources: PowerSources;
  readonly #creditLine: number;
  readonly #initial: readonly number[];
  readonly #maintenance: readonly number[];
  /** Cash and credit that open purchases do not reserve. */
  #funds = 0;
  /** Equity less the margin of positions and open orders. */
  #power = 0;
  /** Maintenance margin less equity; positive in a margin call. */
  #call = 0;
  #slack = 0;
  /** Price and charges of a purchase. */
  #cost = 0;
  /** Initial margin and charges of the part that opens a position; -Infinity if there is none. */
  #needed = 0;
  /** Initial margin of the order at its limit or the quote. */
  #margin = 0;

  /** Creates the buying power of a run; undefined for a cash account without short sales, where only cash counts. */
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

  /**
   * Computes the requirements of an order and the available funds. `figures` has the order and the account's equity.
   */
  compute({ place, side, quantity, reservedAt }: OpenOrder, figures: GateFigures): void {
    const { account, setup } = this.#sources;
    const { now, equity, cost, limit, quote } = figures;
    this.#computeAccount(equity);
    const opened = side === 1 ? quantity : this.#soldShort(place, quantity);
    const initial = this.#initial[place] as number;
    const notional = opened * reservedAt;
    const charges =
      side === 1
        ? cost - quantity * reservedAt
        : account.sellingCharge(place, now, opened, Math.round(notional * UNITS));
    // Only purchases need cash; a sale needs margin.
    this.#cost = side === 1 ? cost : Number.NEGATIVE_INFINITY;
    this.#needed = opened === 0 ? Number.NEGATIVE_INFINITY : notional * initial + charges;
    if (side === -1 && opened > 0 && setup.short !== true) this.#needed = Number.POSITIVE_INFINITY;
    this.#margin = quantity * (limit || quote) * initial;
  }

  /** Returns the first money rule that denies an opening order, or `UNCLEAR`; undefined if all pass. */
  ruleThatDenies(headroom: number): string | undefined {
    return (
      this.#denies(this.#cost - this.#funds, 'buy-limit') ??
      this.#denies(this.#needed - this.#power, 'buy-limit') ??
      this.#denies(this.#call, 'margin-headroom') ??
      this.#denies(this.#margin - this.#power * (1 - headroom), 'margin-headroom')
    );
  }

  /**
   * Bails out if the venue may reject an approved order: the gate checks no funds for closing orders, and the venue
   * charges all shares of a sale that closes and opens.
   */
  bailOutIfUnderfunded({ place, side, quantity, reservedAt }: OpenOrder, { now, opens }: GateFigures): void {
    if (side === 1) {
      if (!opens && !(this.#cost <= this.#funds - this.#slack))
        bailOut('cash may not cover a short-covering buy');
      return;
    }
    const opened = this.#soldShort(place, quantity);
    if (opened === 0 || opened === quantity) return;
    const notional = opened * reservedAt;
    const charges = this.#sources.account.sellingCharge(place, now, quantity, Math.round(notional * UNITS));
    const needed = notional * (this.#initial[place] as number) + charges;
    if (!(needed <= this.#power - this.#slack))
      bailOut('the venue may reject a short sale for insufficient funds');
  }

  #denies(excess: number, rule: string): string | undefined {
    if (excess <= -this.#slack) return undefined;
    return excess >= this.#slack ? rule : UNCLEAR;
  }

  #computeAccount(equity: number): void {
    const { account, price, waiting } = this.#sources;
    const { held, holdings, cashAmount } = account;
    let [initial, maintenance, gross] = [0, 0, Math.abs(cashAmount) + this.#creditLine];
    for (let index = 0; index < holdings.count; index += 1) {
      const place = holdings.places[index] as number;
      const value = Math.abs((held[place] as number) * price(place));
      initial += value * (this.#initial[place] as number);
      maintenance += value * (this.#maintenance[place] as number);
      gross += value;
    }
    this.#funds = this.#creditLine + cashAmount - account.reserved;
    this.#power = equity - initial - (waiting.count === 0 ? 0 : this.#reservedMargin());
    this.#call = maintenance - equity;
    this.#slack = (holdings.count + waiting.count + 4) * ROUNDING + (gross + account.reserved) * SLACK;
  }

  /** Returns initial margin and charges of the opening parts of open orders, oldest first. */
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
        type === 'MIT' ? split.openingIfTriggered(sent, quantity) : split.opening(sent, quantity),
      );
      if (opening > 0) sum += opening * reservedAt * (this.#initial[place] as number);
      if (side === 1) sum += reserve - quantity * reservedAt;
    }
    return sum;
  }

  /** Returns the short part of a sale, in whole lots. Untriggered orders reserve no shares. */
  #soldShort(place: number, quantity: number): number {
    const { account, waiting, setup } = this.#sources;
    const free = (account.held[place] as number) - waiting.sharesOnSale(place);
    const { lotSize } = setup.securities[place] as Security;
    return Math.ceil(Math.max(0, quantity - Math.max(0, free)) / lotSize) * lotSize;
  }
}
