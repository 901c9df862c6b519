import { barClose } from '#src/markets/bar-span.ts';
import { FULL_MARGIN } from '#src/markets/margin.ts';
import type { BarColumns } from '#src/model/bar.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { Decimal } from '#src/model/decimal.ts';
import type { Execution, OrderDetail, OrderId, OrderTerms } from '#src/model/order.ts';
import type { MarginFactors, Security } from '#src/model/security.ts';
import { marketOf, type SecuritySymbol } from '#src/model/symbol.ts';
import { type Millis, millis, NEVER } from '#src/model/time.ts';
import { createSimulation } from '#src/simulation/create-simulation.ts';
import type { BidAskColumns } from '#src/simulation/market/bid-ask.ts';
import type { OrderExtras } from '#src/simulation/orders/order-extras.ts';
import { CLOSED_OUT } from '#src/simulation/processes/margin-close-out.ts';
import type { SimulatedAccount, Simulation, SimulationEvent } from '#src/simulation/simulation.ts';
import type { SimulationModels } from '#src/simulation/simulation-options.ts';

/** One execution of our run, with its bar and its charges. */
export interface StageFill {
  readonly bar: number;
  readonly execution: Execution;
  readonly commission: Decimal;
}

export interface StageOptions {
  readonly bars: readonly BarColumns[];
  readonly cash: number;
  readonly models: SimulationModels;
  /** Initial and maintenance margin of every share; paid in full if absent. */
  readonly factors?: MarginFactors;
  readonly actions?: readonly CorporateAction[];
  readonly bidAsk?: readonly BidAskColumns[];
  /** True if market fills belong to the bar before the one in which they happen, at whose close they fill. */
  readonly fillsInSameBar?: boolean;
}

const CURRENCY = 'USD';

/** A simulation that is advanced bar by bar, with its results. All bars of one index share their stamp. */
export class Stage {
  readonly account: SimulatedAccount;
  readonly fills: StageFill[] = [];
  /** Equity after the close of each bar. */
  readonly equity: number[] = [];
  /** Exits that the venue made by itself, with the entry of the position that they close. */
  readonly exits = new Map<OrderId, { readonly detail: OrderDetail; readonly entry: OrderId }>();
  /** Orders of the venue that close out the account. */
  readonly closedOut = new Set<OrderId>();
  readonly #simulation: Simulation;
  readonly #bars: readonly BarColumns[];
  readonly #charged = new Map<OrderId, Decimal>();
  readonly #known = new Set<OrderId>();
  readonly #fillsInSameBar: boolean;

  constructor(options: StageOptions) {
    const { bars, cash, models, factors = FULL_MARGIN, actions, bidAsk, fillsInSameBar = false } = options;
    this.#bars = bars;
    this.#fillsInSameBar = fillsInSameBar;
    this.#simulation = createSimulation({
      securities: bars.map(({ symbol }) => ({ ...securityOf(symbol), margin: factors })),
      bars,
      start: millis(bars[0]?.time[0] ?? 0),
      accounts: [
        { id: 'a', currency: CURRENCY, cash: { [CURRENCY]: new Decimal(cash) }, fx: {}, short: true },
      ],
      quotes: false,
      models,
      seed: 1,
      ...(actions === undefined ? {} : { corporateActions: actions }),
      ...(bidAsk === undefined ? {} : { bidAsk }),
    });
    const account = this.#simulation.account('a');
    if (account === undefined) throw new Error('The stage has no account');
    this.account = account;
  }

  /** Advances to the close of a bar and records the equity; `place` is the index of the bar in the columns. */
  play(bar: number, place = bar): void {
    this.#playTo(this.#closeOf(place), bar);
  }

  /** Plays another bar of the columns as a part of the last played bar; its equity replaces the recorded one. */
  playOn(bar: number, place: number): void {
    this.equity.pop();
    this.#playTo(this.#closeOf(place), bar);
  }

  #playTo(end: Millis, bar: number): void {
    for (;;) {
      const own = this.#simulation.nextVenueEventAt();
      const print = this.#simulation.nextPrintAt();
      if (Math.min(own, print) >= end) break;
      this.#note(bar, own <= print ? this.#simulation.stepVenueEvent() : this.#simulation.stepPrint());
    }
    this.#simulation.moveTo(end);
    this.equity.push(this.account.balance().equity.toNumber());
  }

  /** Lets the latest orders arrive. */
  settle(bar: number): void {
    while (this.#simulation.nextVenueEventAt() <= this.#simulation.now())
      this.#note(bar, this.#simulation.stepVenueEvent());
  }

  /** Sends an order of the strategy, `name` in a list; throws RangeError if the venue refuses to accept it. */
  send(name: number, terms: OrderTerms, extras: OrderExtras): OrderId {
    const submission = this.account.submit(terms, '', extras);
    if (submission.kind === 'refused')
      throw new RangeError(`Cannot send order ${name}: ${submission.message}`);
    this.#known.add(submission.orderId);
    return submission.orderId;
  }

  #closeOf(bar: number): Millis {
    const closes = this.#bars.map(({ symbol, period, time }) => {
      const close = barClose(marketOf(symbol), period, millis(time[bar] as number));
      return Math.min(close, time[bar + 1] ?? NEVER);
    });
    return millis(Math.max(...closes));
  }

  #note(bar: number, events: readonly SimulationEvent[]): void {
    for (const event of events) {
      if (event.kind === 'quote') continue;
      const { detail, execution } = event.change;
      const { orderId } = detail;
      const entry = this.fills.at(-1)?.execution.orderId;
      const closesOut = detail.message.startsWith(CLOSED_OUT);
      if (!this.#known.has(orderId) && entry !== undefined && !closesOut)
        this.exits.set(orderId, { detail, entry });
      if (closesOut) this.closedOut.add(orderId);
      this.#known.add(orderId);
      if (execution === undefined) continue;
      const total = (detail.charges ?? []).reduce((sum, { amount }) => sum.plus(amount), new Decimal(0));
      const commission = total.minus(this.#charged.get(orderId) ?? 0);
      this.#charged.set(orderId, total);
      const before = this.#fillsInSameBar && detail.terms.type === 'MO' && !closesOut;
      // One instant earlier, so that other fills now keep this bar.
      const moved = before ? { ...execution, time: millis(execution.time - 1) } : execution;
      this.fills.push({ bar: before ? bar - 1 : bar, execution: moved, commission });
    }
  }
}

/** A default share, paid in full and traded in single units. */
export function securityOf(symbol: SecuritySymbol): Security {
  return {
    symbol,
    names: { en: symbol, zhCn: symbol, zhHk: symbol },
    kind: 'stock',
    board: '',
    currency: CURRENCY,
    lotSize: 1,
    margin: FULL_MARGIN,
    tradable: true,
    origin: { kind: 'real', source: 'the data folder', license: 'see there' },
  };
}
