import { createFillLog, UNITS } from '../../events/fill-columns.ts';
import type { EquityCurve } from '../../events/run-record.ts';
import { hoursAt } from '../../markets/day-hours.ts';
import { marketOf } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import { HOUSE_RULES } from '../../simulation/rules.ts';
import { Tape } from '../../simulation/tape.ts';
import { wholeSeconds } from '../../simulation/whole-seconds.ts';
import { equityOfLine, equityOverColumns, type Stretch } from '../equity-columns.ts';
import type { RunColumns, RunSetup } from '../setup.ts';
import type { Track } from '../track.ts';
import { ExpressAccount, type OpenOrder } from './account.ts';
import { ExpressGate, type OtherWorth } from './gate.ts';
import { leave } from './leaves.ts';
import { ENDS, type Lane, outcomeOf } from './outcome.ts';
import { fromUnits, unitsOfDecimal } from './units.ts';
import { type OrdinaryDraft, type Wish, wishOf } from './wish.ts';

/** Gate, venue and account of an express run: orders go in at a close, and what becomes of them happens when it is due. */
export class ExpressWorld {
  readonly account: ExpressAccount;
  readonly fills = createFillLog();
  readonly #stretches: Stretch[] = [];
  readonly #line = { from: [] as number[], cash: [] as number[], quantity: [] as number[] };
  orders = 0;
  now: Millis;
  readonly #setup: RunSetup;
  readonly #lanes: readonly Lane[];
  readonly #gate: ExpressGate;
  readonly #places: ReadonlyMap<string, number>;
  readonly #buffer: number;
  #waiting: readonly OpenOrder[] = [];
  #day = { began: Number.NaN, until: Number.NEGATIVE_INFINITY };

  constructor(setup: RunSetup, tracks: readonly Track[], start: Millis) {
    const { securities, charges, limits, currency, cash, margin, rules = HOUSE_RULES } = setup;
    this.#setup = setup;
    this.now = start;
    this.#lanes = securities.map((security, place) => {
      const track = tracks[place] ?? leave(`no bars of "${security.symbol}"`);
      return {
        security,
        track,
        tape: new Tape(track.columns, rules.fills),
        checkTicks: rules.fills.checkTicks,
        cancelAfterMs: setup.policy.cancelAfterMs,
      };
    });
    this.#places = new Map(securities.map(({ symbol }, place) => [symbol, place]));
    const opening = unitsOfDecimal(cash[currency] ?? leave('no cash'));
    this.account = new ExpressAccount(opening, securities, charges);
    this.#gate = new ExpressGate(limits, fromUnits(opening));
    const market = marketOf(securities[0]?.symbol ?? leave('no security'));
    this.#buffer = (margin.marketBuffer[market] ?? margin.marketBufferElse).toNumber();
    this.#noteStretch(start - 1);
  }

  /** Place of a symbol among the run's securities; undefined for another. */
  placeOf(symbol: string): number | undefined {
    return this.#places.get(symbol);
  }

  /** Cash plus positions at their newest closes, in the currency. */
  equity(): number {
    return this.account.equity(this.#closeNow);
  }

  /** Goes to an instant at which bars close, and looks at losses as the gate does whenever the strategy is about to hear. */
  close(time: Millis): void {
    this.now = time;
    this.#rollDay(time);
    if (this.#lanes.length > 1) this.#demandStandingCloses();
    this.#gate.demandNoLoss(this.equity(), this.#day.began);
  }

  /** Sizes a draft, has the gate judge it, and lets the order wait for what becomes of it. */
  send(draft: OrdinaryDraft): void {
    const place = this.#places.get(draft.symbol) ?? leave(`"${draft.symbol}" is not traded`);
    const lane = this.#lane(place);
    const { account } = this;
    const held = account.held[place] as number;
    const expected = held + (account.openBuys[place] as number) - (account.openSells[place] as number);
    const price = this.#closeNow(place);
    const equity = this.equity();
    const { security, track } = lane;
    const wish = wishOf(draft, {
      security,
      policy: this.#setup.policy,
      now: this.now,
      price,
      equity,
      expected,
    });
    if (wish === undefined) return;
    if (!(price > 0)) leave('no price');
    if (track.closeTime(track.closedIndex(this.now)) !== this.now) leave('a quote that ages');
    const outcome = outcomeOf(wish, lane, this.now);
    const reserve = this.#judged(place, wish, price, equity);
    const order: OpenOrder = { place, ...wish, reserve, ...outcome };
    account.take(order);
    this.#waiting = [...this.#waiting, order];
    this.orders += 1;
  }

  /** Lets everything happen that comes before the closes of an instant: fills up to it, and what ends unfilled. */
  advance(time: Millis): void {
    while (this.#waiting.length > 0) {
      let next: OpenOrder | undefined;
      for (const order of this.#waiting) {
        const isDue = order.at < time || (order.at === time && order.ends === ENDS.expires);
        if (isDue && (next === undefined || comesBefore(order, next))) next = order;
      }
      if (next === undefined) return;
      const due = next;
      this.#waiting = this.#waiting.length === 1 ? [] : this.#waiting.filter((order) => order !== due);
      if (due.ends === ENDS.fills) this.#fill(due);
      else this.account.end(due);
    }
  }

  /** What the order sets aside once it has passed, in the currency; a sale sets nothing aside. */
  #judged(place: number, { side, quantity, type, level }: Wish, price: number, equity: number): number {
    const { account, now } = this;
    const limit = type === 'LO' ? level?.toNumber() : undefined;
    const notional = quantity * (limit ?? price * this.#buffer);
    const cost =
      side === 1 ? notional + account.buyingCharge(place, now, quantity, Math.round(notional * UNITS)) : 0;
    this.#gate.pass({
      now,
      place,
      side,
      quantity,
      quote: price,
      limit,
      held: account.held[place] as number,
      openBuys: account.openBuys[place] as number,
      openSells: account.openSells[place] as number,
      equity,
      openOrders: account.open,
      dayBegan: this.#day.began,
      others: this.#others(place),
      spendable: fromUnits(account.cash) - account.reserved,
      cost,
    });
    return cost;
  }

  #others(place: number): OtherWorth {
    const { held, openBuys, openSells } = this.account;
    const sum = { gross: 0, mostLong: 0, mostShort: 0 };
    if (this.#lanes.length === 1) return sum;
    for (let other = 0; other < this.#lanes.length; other += 1) {
      const longest = (held[other] as number) + (openBuys[other] as number);
      if (other === place || longest === 0) continue;
      const price = Math.max(this.#closeNow(other), this.#dearestBuy(other));
      const shortest = (held[other] as number) - (openSells[other] as number);
      sum.gross += longest * price;
      sum.mostLong += longest * price;
      sum.mostShort += shortest * price;
    }
    return sum;
  }

  #dearestBuy(place: number): number {
    let dearest = 0;
    for (const order of this.#waiting) {
      if (order.place !== place || order.side !== 1 || order.level === undefined) continue;
      dearest = Math.max(dearest, order.level.toNumber());
    }
    return dearest;
  }

  #fill(order: OpenOrder): void {
    const { place, side, quantity, at, price } = order;
    if (order.type === 'MIT' && quantity > (this.account.held[place] as number) - this.#onSale(place))
      leave('shares that were sold meanwhile');
    this.#rollDay(at);
    this.now = millis(at);
    const fee = this.account.fill(order);
    if (this.account.cash < 0) leave('cash below zero');
    this.#gate.filled(at);
    this.fills.add({ security: place, side, time: wholeSeconds(millis(at)), price, quantity, fee });
    this.#noteStretch(at);
    this.#gate.demandNoLoss(this.equity(), this.#day.began);
  }

  /** Shares that other sales hold; what waits for its trigger holds none. */
  #onSale(place: number): number {
    let shares = 0;
    for (const order of this.#waiting)
      if (order.place === place && order.side === -1 && order.type !== 'MIT') shares += order.quantity;
    return shares;
  }

  /** Equity after each close, over the bars that count. */
  curve(cuts: readonly RunColumns[]): EquityCurve {
    const [only] = cuts;
    if (cuts.length === 1 && only !== undefined) return equityOfLine(only.columns, only.firstBar, this.#line);
    return equityOverColumns({
      columns: cuts.map(({ columns }) => columns),
      firstBars: cuts.map(({ firstBar }) => firstBar),
      stretches: this.#stretches,
    });
  }

  /** What is held counts from the next close on. */
  #noteStretch(at: number): void {
    const { held, holdings } = this.account;
    const from = millis(at + 1);
    const cash = fromUnits(this.account.cash);
    if (this.#lanes.length === 1) {
      this.#line.from.push(from);
      this.#line.cash.push(cash);
      this.#line.quantity.push(held[0] as number);
      return;
    }
    const holding = (place: number) => ({
      symbol: this.#lane(place).security.symbol,
      quantity: held[place] as number,
      rate: 1,
    });
    this.#stretches.push({ from, estimate: { cash, holdings: holdings.map(holding) } });
  }

  /** Notes what the account was worth when the exchange's day began, before anything of that day is booked. */
  #rollDay(now: number): void {
    if (now < this.#day.until) return;
    const market = marketOf(this.#lane(0).security.symbol);
    const { midnight, nextMidnight } = hoursAt(market, now);
    const began = this.account.equity((place) => this.#lane(place).track.closeAt(midnight));
    this.#day = { began, until: nextMidnight };
  }

  /** Leaves where a bar of something that is held runs on: the venue knows its prints already. */
  #demandStandingCloses(): void {
    for (const place of this.account.holdings) {
      const { columns, closedIndex } = this.#lane(place).track;
      if ((columns.time[closedIndex(this.now) + 1] ?? NEVER) < this.now) leave('a bar runs across a close');
    }
  }

  readonly #closeNow = (place: number): number => this.#lane(place).track.closeAt(this.now);

  #lane(place: number): Lane {
    return this.#lanes[place] as Lane;
  }
}

function comesBefore(order: OpenOrder, other: OpenOrder): boolean {
  if (order.at !== other.at) return order.at < other.at;
  return order.ends === other.ends ? order.place < other.place : order.ends < other.ends;
}
