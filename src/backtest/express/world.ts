import { FillLog, UNITS } from '../../events/curve/fill-columns.ts';
import { intentIdMint } from '../../execution/orders/intent-ids.ts';
import { hoursAt } from '../../markets/day-hours.ts';
import { toDecimal } from '../../model/amount.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { IntentId } from '../../model/order.ts';
import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, NEVER } from '../../model/time.ts';
import { wholeSeconds } from '../../model/whole-seconds.ts';
import type { Exposure } from '../../risk/facts.ts';
import type { Verdict } from '../../risk/risk-gate.ts';
import { orderIds } from '../../simulation/orders/order-ids.ts';
import { nthExecutionId } from '../../simulation/orders/venue-order.ts';
import { seededRandom } from '../seeded-random.ts';
import type { RunSetup } from '../setup.ts';
import { ExpressAccount } from './account.ts';
import { bailOut } from './bail-out.ts';
import { DenialLog } from './denial-log.ts';
import { exactVerdict } from './exact-verdict.ts';
import { AT_MARKET, ExpressGate, GateFigures, NOTHING_ELSE, type OtherWorth, UNCLEAR } from './gate.ts';
import type { Booked } from './holdings.ts';
import { initialCapacity } from './initial-capacity.ts';
import { ENDS, type OpenOrder, OpenOrders } from './open-order.ts';
import { resolveFill } from './resolve-fill.ts';
import { fillIn, Sizing, type SupportedDraft } from './supported-draft.ts';
import type { SymbolCursor } from './symbol-cursor.ts';
import { TickSteps } from './tick-steps.ts';
import { fromUnits, unitsOfDecimal } from './units.ts';

/** Gate, venue and account of an express run: orders go in at a close, and what becomes of them happens when it is due. */
export class ExpressWorld {
  readonly account: ExpressAccount;
  readonly fills: FillLog;
  /** What tells what was held from when on. */
  readonly booked: Booked;
  orders = 0;
  readonly denials: DenialLog;
  now: Millis = NEVER;
  readonly #setup: RunSetup;
  readonly #cursors: readonly SymbolCursor[];
  readonly #sizing: Sizing;
  readonly #gate: ExpressGate;
  readonly #ticks: readonly TickSteps[];
  readonly #figures = new GateFigures();
  readonly #places: ReadonlyMap<string, number>;
  readonly #market: Market;
  readonly #buffer: number;
  readonly #waiting = new OpenOrders();
  /** Equity as it was reckoned last, and for which instant; NaN once something was booked. */
  #equity = Number.NaN;
  #equityAt = Number.NaN;
  #dayBegan = Number.NaN;
  #dayUntil = Number.NEGATIVE_INFINITY;

  /** Who hears of fills; undefined: nobody. */
  #onFill: ((fill: Fill) => void) | undefined;
  readonly #mintIntentId: () => IntentId;
  readonly #nextOrderId = orderIds();

  constructor(setup: RunSetup, cursors: readonly SymbolCursor[], start: Millis) {
    const { securities, charges, limits, currency, cash, margin, policy } = setup;
    this.fills = new FillLog(initialCapacity(setup));
    this.now = start;
    this.denials = new DenialLog(limits);
    this.#setup = setup;
    this.#mintIntentId = intentIdMint(seededRandom(setup.seed));
    this.#cursors = cursors;
    this.#places = new Map(securities.map(({ symbol }, place) => [symbol, place]));
    const opening = unitsOfDecimal(cash[currency] ?? bailOut('no cash'));
    this.booked = { opening, fills: this.fills };
    this.account = new ExpressAccount(opening, securities, charges);
    this.#gate = new ExpressGate(limits, fromUnits(opening));
    const first = securities[0] ?? bailOut('no security');
    const market = marketOf(first.symbol);
    this.#market = market;
    this.#ticks = securities.map(({ kind }) => new TickSteps({ market, kind }));
    this.#sizing = new Sizing(policy, first);
    this.#buffer = (margin.marketBuffer[this.#market] ?? margin.marketBufferElse).toNumber();
  }

  /** Tells of every fill from now on. */
  tellFills(onFill: (fill: Fill) => void): void {
    this.#onFill = onFill;
  }

  /** Place of a symbol among the run's securities; -1 for another. */
  placeOf(symbol: SecuritySymbol): number {
    // Most runs trade one security, and symbols are mostly the very same text.
    if (symbol === this.#cursor(0).security.symbol) return 0;
    return this.#places.get(symbol) ?? -1;
  }

  /** The cursor of a symbol, advanced to the current time; undefined for one that is not traded. */
  cursorOf(symbol: SecuritySymbol): SymbolCursor | undefined {
    const place = this.placeOf(symbol);
    return place < 0 ? undefined : this.cursorNow(place);
  }

  /** Lanes are led to an instant only where somebody looks: at most instants of many securities, nobody looks at most. */
  cursorNow(place: number): SymbolCursor {
    const cursor = this.#cursor(place);
    if (cursor.now !== this.now) cursor.goTo(this.now);
    return cursor;
  }

  /** Cash plus positions at their newest closes, in the currency; summed as the books' portfolio is. */
  equity(): number {
    if (this.#equityAt !== this.now) {
      this.#equity = this.#reckon();
      this.#equityAt = this.now;
    }
    return this.#equity;
  }

  /** That as the last `close` reckoned it: nothing is booked while hooks are asked. */
  get equityAtClose(): number {
    return this.#equity;
  }

  #reckon(): number {
    const { amount, held, holdings } = this.account;
    let worth = amount;
    for (let index = 0; index < holdings.count; index += 1) {
      const place = holdings.places[index] as number;
      worth += (held[place] as number) * this.cursorNow(place).price;
    }
    return worth;
  }

  /** Goes to an instant at which bars close, and looks at losses as the gate does whenever the strategy is about to hear. */
  close(time: Millis): void {
    this.#goTo(time);
    if (this.#cursors.length > 1) this.#demandStandingCloses();
    this.#gate.demandNoLoss(this.equity(), this.#dayBegan);
  }

  /**
   * Sizes a draft, has the gate judge it, and lets the order wait for what becomes of it. `isLast` says that nobody hears anything and
   * nothing else is sent before the instant is over: what fills at that very instant is booked then and there.
   */
  send(draft: SupportedDraft, isLast = false): void {
    const place = this.placeOf(draft.symbol);
    if (place < 0) bailOut(`"${draft.symbol}" is not traded`);
    const cursor = this.cursorNow(place);
    const { account } = this;
    const sizing = this.#sizing;
    sizing.security = cursor.security;
    sizing.now = cursor.now;
    sizing.price = cursor.price;
    sizing.equity = this.equity();
    sizing.isRounded = account.isRounded;
    sizing.expected =
      (account.held[place] as number) +
      (account.openBuys[place] as number) -
      (account.openSells[place] as number);
    const order = this.#waiting.spare();
    order.place = place;
    if (!fillIn(order, draft, sizing)) return;
    if (!(cursor.price > 0)) bailOut('no price');
    if (cursor.closes[cursor.closed] !== cursor.now) bailOut('a quote that ages');
    resolveFill(order, cursor, this.#ticks[place] as TickSteps);
    const intentId = this.#onFill && this.#mintIntentId();
    if (!this.#passes(order, sizing)) return;
    this.orders += 1;
    if (intentId !== undefined) order.names = { intentId, orderId: this.#nextOrderId(this.now) };
    if (isLast && order.ends === ENDS.fills && order.at === this.now && !this.waits) {
      this.#book(order);
      return;
    }
    account.take(order);
    this.#waiting.add();
  }

  /** Whether orders wait: else there is nothing to advance to. */
  get waits(): boolean {
    return this.#waiting.count > 0;
  }

  /** Lets everything happen that comes before the closes of an instant: fills up to it, and what ends unfilled. */
  advance(time: Millis): void {
    const waiting = this.#waiting;
    while (waiting.count > 0) {
      const due = waiting.takeDue(time);
      if (due === undefined) return;
      if (due.ends === ENDS.fills) this.#fill(due);
      else this.account.end(due);
    }
  }

  /** Whether the gate lets the order through; then it says what the order sets aside, which is nothing for a sale. */
  #passes(order: OpenOrder, { now, price, equity }: Sizing): boolean {
    const { account } = this;
    const { place, side, quantity, type, level } = order;
    const limit = type === 'LO' ? level : AT_MARKET;
    let cost = 0;
    if (side === 1) {
      const notional = quantity * (limit === AT_MARKET ? price * this.#buffer : limit);
      cost = notional + account.buyingCharge(place, now, quantity, Math.round(notional * UNITS));
    }
    const figures = this.#figures;
    figures.now = now;
    figures.place = place;
    figures.side = side;
    figures.quantity = quantity;
    figures.quote = price;
    figures.limit = limit;
    figures.held = account.held[place] as number;
    figures.openBuys = account.openBuys[place] as number;
    figures.openSells = account.openSells[place] as number;
    figures.equity = equity;
    figures.openOrders = account.open;
    figures.dayBegan = this.#dayBegan;
    figures.others = this.#cursors.length === 1 ? NOTHING_ELSE : this.#others(place);
    figures.spendable = account.amount - account.reserved;
    figures.cost = cost;
    const rule = this.#gate.judge(figures);
    if (rule !== undefined && this.#isDenied(order, rule)) return false;
    this.#gate.passed(figures);
    order.reserve = cost;
    return true;
  }

  /** Asks the rules themselves where plain numbers cannot tell, and for the reason of the first denial by each rule. */
  #isDenied(order: OpenOrder, rule: string): boolean {
    const { denials } = this;
    const { now, opens } = this.#figures;
    const at = now as Millis;
    if (rule !== UNCLEAR && denials.has(rule)) {
      denials.add({ rule, reason: '', at, opens });
      return true;
    }
    const verdict = this.#exactVerdict(order);
    if (verdict.kind === 'approved') return false;
    if (verdict.transition !== undefined) bailOut('a denial that moves the gate');
    denials.add({ rule: verdict.rule, reason: verdict.reason, at, opens });
    return true;
  }

  #exactVerdict(order: OpenOrder): Verdict {
    const { account, fills } = this;
    if (account.isRounded) bailOut('a figure near its limit that is kept to 16 digits');
    const { recent, peak, unattendedFills } = this.#gate;
    return exactVerdict({
      ...{ setup: this.#setup, order, figures: this.#figures, security: this.#cursor(order.place).security },
      ...{ cash: account.cash, reserved: this.#reserved(), equity: this.#exactEquity() },
      ...{ others: this.#exactOthers(order.place), recent, peak, unattendedFills, fills },
    });
  }

  #reserved(): number {
    let units = 0;
    for (let index = 0; index < this.#waiting.count; index += 1)
      units += Math.round(this.#waiting.at(index).reserve * UNITS);
    return units;
  }

  #exactEquity(): Decimal {
    const { cash, held, holdings } = this.account;
    let equity = toDecimal(cash);
    for (let index = 0; index < holdings.count; index += 1) {
      const place = holdings.places[index] as number;
      equity = equity.plus(new Decimal(this.cursorNow(place).price).times(held[place] as number));
    }
    return equity;
  }

  #exactOthers(place: number): Exposure {
    const { held, openBuys, openSells } = this.account;
    let [gross, mostLong, mostShort] = [ZERO, ZERO, ZERO];
    for (let other = 0; other < this.#cursors.length; other += 1) {
      const longest = (held[other] as number) + (openBuys[other] as number);
      if (other === place || longest === 0) continue;
      const price = new Decimal(Math.max(this.cursorNow(other).price, this.#dearestBuy(other)));
      const worth = price.times(longest);
      gross = gross.plus(worth);
      mostLong = mostLong.plus(worth);
      mostShort = mostShort.plus(price.times((held[other] as number) - (openSells[other] as number)));
    }
    return { gross, mostLong, mostShort };
  }

  #others(place: number): OtherWorth {
    const { held, openBuys, openSells } = this.account;
    const sum = { gross: 0, mostLong: 0, mostShort: 0 };
    for (let other = 0; other < this.#cursors.length; other += 1) {
      const longest = (held[other] as number) + (openBuys[other] as number);
      if (other === place || longest === 0) continue;
      const price = Math.max(this.cursorNow(other).price, this.#dearestBuy(other));
      const shortest = (held[other] as number) - (openSells[other] as number);
      sum.gross += longest * price;
      sum.mostLong += longest * price;
      sum.mostShort += shortest * price;
    }
    return sum;
  }

  #dearestBuy(place: number): number {
    let dearest = 0;
    for (let index = 0; index < this.#waiting.count; index += 1) {
      const order = this.#waiting.at(index);
      if (order.place === place && order.side === 1 && order.level > dearest) dearest = order.level;
    }
    return dearest;
  }

  #fill(order: OpenOrder): void {
    const { place, quantity, at } = order;
    if (order.type === 'MIT' && quantity > (this.account.held[place] as number) - this.#onSale(place))
      bailOut('shares that were sold meanwhile');
    this.#goTo(at as Millis);
    this.account.end(order);
    this.#book(order);
  }

  #book(order: OpenOrder): void {
    const { place, side, quantity, at, price } = order;
    const { account } = this;
    const fee = account.fill(order);
    this.#equityAt = Number.NaN;
    if (account.cash < 0) bailOut('cash below zero');
    this.#gate.filled(at);
    this.fills.add({ security: place, at, price, quantity: side * quantity, fee });
    this.#gate.demandNoLoss(this.equity(), this.#dayBegan);
    if (this.#onFill !== undefined) this.#onFill(this.#fillOf(order));
  }

  /** The fill of an order, as the venue tells it. */
  #fillOf(order: OpenOrder): Fill {
    const { place, side, quantity, at, price, names } = order;
    if (names === undefined) throw new Error('Cannot tell of a fill: its order has no ids');
    const { symbol, currency } = this.#cursor(place).security;
    const charges = this.account.chargesOf(order, currency);
    return {
      ...names,
      executionId: nthExecutionId(names.orderId, at as Millis, 0),
      symbol,
      side: side === 1 ? 'buy' : 'sell',
      quantity: new Decimal(quantity),
      price: new Decimal(price),
      currency,
      fee: charges.reduce((sum, { amount }) => sum.plus(amount), ZERO),
      charges,
      time: wholeSeconds(at as Millis),
    };
  }

  /** Shares that other sales hold; what waits for its trigger holds none. */
  #onSale(place: number): number {
    let shares = 0;
    for (let index = 0; index < this.#waiting.count; index += 1) {
      const order = this.#waiting.at(index);
      if (order.place === place && order.side === -1 && order.type !== 'MIT') shares += order.quantity;
    }
    return shares;
  }

  /** Goes to an instant; what the account was worth when the exchange's day began is noted before anything of that day is booked. */
  #goTo(now: Millis): void {
    if (!(now < this.#dayUntil)) this.#beginDay(now);
    this.now = now;
  }

  #beginDay(now: Millis): void {
    const { midnight, nextMidnight } = hoursAt(this.#market, now);
    this.now = midnight;
    this.#dayBegan = this.equity();
    this.#dayUntil = nextMidnight;
  }

  /** Leaves where a bar of something that is held runs on: the venue knows its prints already. */
  #demandStandingCloses(): void {
    const { holdings } = this.account;
    for (let index = 0; index < holdings.count; index += 1) {
      const { columns, closed } = this.cursorNow(holdings.places[index] as number);
      if ((columns.time[closed + 1] ?? NEVER) < this.now) bailOut('a bar runs across a close');
    }
  }

  #cursor(place: number): SymbolCursor {
    return this.#cursors[place] as SymbolCursor;
  }
}
