import { describe, expect, it } from 'vitest';
import { sessionPieces } from '#src/markets/bar-span.ts';
import { tradingDayAfter } from '#src/markets/calendar.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { dayNumber, dayOfNumber } from '#src/markets/day-number.ts';
import { midnightOf, regularOpen } from '#src/markets/sessions.ts';
import type { BarColumns } from '#src/model/bar.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { Decimal, decimal, ZERO } from '#src/model/decimal.ts';
import type { OrderDetail, OrderId } from '#src/model/order.ts';
import { marketOf, securitySymbol } from '#src/model/symbol.ts';
import { type CalendarDay, calendarDay, MINUTE_MS, millis } from '#src/model/time.ts';
import { DEFAULT_INTEREST } from '#src/simulation/books/interest.ts';
import { CASH_ACCOUNT, MARGIN_ACCOUNT, PRINT_FILLS } from '#src/simulation/models.ts';
import type { SimulationEvent } from '#src/simulation/simulation.ts';
import { printsOf } from '../fixtures/prints-of.ts';
import { seeded } from '../signals/some-bars.ts';
import { accountOf, type BarRow, bars, type Draft, security, terms, trialBalance, world } from './world.ts';

/** Total number of requests; a larger one uses the same seeds and the following ones. */
const REQUESTS = Number(process.env['SLUICE_FUZZ_REQUESTS'] ?? 2_000);
const REQUESTS_A_WORLD = 500;
const DAYS = 12;
const BAR_MS = 30 * MINUTE_MS;
const FIRST_DAY = calendarDay('2024-05-20');
const SYMBOLS = ['AAPL.US', 'IBM.US', '700.HK'] as const;
type Name = (typeof SYMBOLS)[number];
const PARTICIPATION = 0.1;
const LATENCY = { kind: 'fixed', ms: 1_500 } as const;
const OPENING = { USD: decimal('60000'), HKD: decimal('300000') };

const pick = <T>(random: () => number, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T;
const currencyOf = (name: string): 'USD' | 'HKD' => (name.endsWith('.HK') ? 'HKD' : 'USD');

function tradingDays(market: 'US' | 'HK'): readonly CalendarDay[] {
  let day = dayNumber(FIRST_DAY);
  return Array.from({ length: DAYS }, () => {
    const reported = dayOfNumber(day);
    day = tradingDayAfter(market, day);
    return reported;
  });
}

/** Corporate actions of a symbol in the middle days: dividends, splits of all kinds, and sometimes a delisting. */
function actionsOf(random: () => number, name: Name): readonly CorporateAction[] {
  const days = tradingDays(name.endsWith('.HK') ? 'HK' : 'US');
  const symbol = securitySymbol(name);
  const actions: CorporateAction[] = [];
  for (const [place, exDay] of days.entries()) {
    if (place < 2) continue;
    const chance = random();
    if (chance < 0.2) {
      const payDay = random() < 0.5 ? days[place + 2] : undefined;
      actions.push({
        kind: 'dividend',
        symbol,
        exDay,
        perShare: decimal(pick(random, ['0.25', '1.07', '0.003'])),
        ...(random() < 0.5 ? { withheld: decimal('0.3') } : {}),
        ...(payDay === undefined ? {} : { payDay }),
      });
    }
    if (chance > 0.15 && chance < 0.3)
      actions.push({ kind: 'split', symbol, exDay, ratio: decimal(pick(random, ['2', '0.1', '1.5', '3'])) });
    if (place > 8 && chance > 0.96) {
      actions.push({
        kind: 'delisting',
        symbol,
        exDay,
        ...(random() < 0.5 ? { price: decimal('0.5') } : {}),
      });
      break;
    }
  }
  return actions;
}

/** Half-hour bars on ticks, some of them missing, with prices that follow the splits. */
function barsOf(random: () => number, name: Name, actions: readonly CorporateAction[]): BarColumns {
  const market = marketOf(securitySymbol(name));
  const tick = market === 'HK' ? 20 : 1;
  let last = market === 'HK' ? 30_000 : 10_000;
  const onTick = (price: number) => Math.max(tick, Math.round(price / tick) * tick);
  const rows: BarRow[] = [];
  for (const day of tradingDays(market === 'HK' ? 'HK' : 'US')) {
    for (const action of actions)
      if (action.kind === 'split' && action.exDay === day) last = onTick(last / action.ratio.toNumber());
    const open = regularOpen(market, day) as number;
    for (let bar = 0; bar < 14; bar += 1) {
      const opens = open + bar * BAR_MS;
      if (sessionPieces(market, '30m', millis(opens)).length === 0 || random() < 0.1) continue;
      const begin = onTick(last * (1 + (random() - 0.5) * 0.04));
      const high = onTick(begin * (1 + random() * 0.02));
      const low = onTick(begin * (1 - random() * 0.02));
      last = onTick(low + (high - low) * random());
      rows.push([opens, begin / 100, high / 100, low / 100, last / 100, Math.floor(random() * 20_000)]);
    }
  }
  return bars(name, '30m', rows);
}

function someDraft(random: () => number, name: Name, last: Decimal): Draft {
  const hongKong = name.endsWith('.HK');
  const quantity = String(Math.ceil(random() * 8) * 100 + (hongKong ? 0 : Math.floor(random() * 50)));
  const near = () => {
    const price = last.times(0.97 + random() * 0.06);
    const step = hongKong ? '0.2' : '0.01';
    return Decimal.max(step, price.div(step).round().times(step)).toString();
  };
  const common = {
    symbol: name,
    side: pick(random, ['buy', 'sell'] as const),
    quantity,
    timeInForce: pick(random, ['day', 'gtc'] as const),
  };
  switch (pick(random, ['MO', 'MO', 'LO', 'LO', 'LO', 'MIT', 'LIT', 'TSLPPCT', 'TSLPAMT'] as const)) {
    case 'MO':
      return { ...common, type: 'MO', timeInForce: 'day' };
    case 'LO':
      return { ...common, type: 'LO', price: near() };
    case 'MIT':
      return { ...common, type: 'MIT', triggerPrice: near() };
    case 'LIT':
      return { ...common, type: 'LIT', triggerPrice: near(), price: near() };
    case 'TSLPPCT':
      return { ...common, type: 'TSLPPCT', trailingPercent: '1', limitOffset: hongKong ? '0.2' : '0.05' };
    case 'TSLPAMT':
      return { ...common, type: 'TSLPAMT', trailingAmount: hongKong ? '2' : '0.5', limitOffset: '0' };
  }
}

/** A second account, computed only from the reported orders and corporate actions. */
class Shadow {
  readonly cash = new Map<string, Decimal>(Object.entries(OPENING));
  readonly held = new Map<string, Decimal>();
  readonly charged = new Map<OrderId, Decimal>();
  /** Payments into and out of positions, dividends, charges and interest, by currency. */
  readonly dividends = new Map<string, Decimal>();
  readonly charges = new Map<string, Decimal>();

  move(currency: string, amount: Decimal): void {
    this.cash.set(currency, (this.cash.get(currency) ?? ZERO).plus(amount));
  }

  heldOf(name: string): Decimal {
    return this.held.get(name) ?? ZERO;
  }

  act(action: CorporateAction, next: Decimal, last: Decimal): Decimal {
    const currency = currencyOf(action.symbol);
    const held = this.heldOf(action.symbol);
    switch (action.kind) {
      case 'dividend': {
        const kept = action.withheld !== undefined && held.gt(0) ? new Decimal(1).minus(action.withheld) : 1;
        const paid = held.times(action.perShare).times(kept);
        this.move(currency, paid);
        this.dividends.set(currency, (this.dividends.get(currency) ?? ZERO).plus(paid));
        return last;
      }
      case 'split': {
        const exact = held.times(action.ratio);
        this.held.set(action.symbol, exact.trunc());
        this.move(currency, exact.minus(exact.trunc()).times(next));
        return last.div(action.ratio).toDecimalPlaces(8);
      }
      case 'delisting': {
        this.move(currency, held.times(action.price ?? last));
        this.held.set(action.symbol, ZERO);
        return last;
      }
    }
  }

  hear({ change }: Extract<SimulationEvent, { kind: 'order' }>): void {
    const { detail, execution } = change;
    const currency = currencyOf(detail.terms.symbol);
    const charged = (detail.charges ?? []).reduce((sum, { amount }) => sum.plus(amount), ZERO);
    const before = this.charged.get(detail.orderId) ?? ZERO;
    this.charged.set(detail.orderId, charged);
    this.charges.set(currency, (this.charges.get(currency) ?? ZERO).plus(charged.minus(before)));
    this.move(currency, before.minus(charged));
    if (execution === undefined) return;
    const signed = execution.side === 'buy' ? execution.quantity : execution.quantity.neg();
    this.held.set(execution.symbol, this.heldOf(execution.symbol).plus(signed));
    this.move(currency, signed.times(execution.price).neg());
  }
}

/** Plays one world to its end; throws each violation with the seed. */
function play(seed: number): number {
  const random = seeded(seed);
  const actions = SYMBOLS.flatMap((name) => actionsOf(random, name));
  const tapes = SYMBOLS.map((name) =>
    barsOf(
      random,
      name,
      actions.filter(({ symbol }) => symbol === name),
    ),
  );
  const start = Math.min(...tapes.map(({ time }) => time[0] as number)) - MINUTE_MS;
  const margin = pick(random, [
    CASH_ACCOUNT,
    { ...CASH_ACCOUNT, settledOnly: true },
    MARGIN_ACCOUNT,
    { ...MARGIN_ACCOUNT, closeOut: 'forced' as const },
    { ...MARGIN_ACCOUNT, closeOut: 'as-needed' as const },
  ]);
  const participation = pick(random, [undefined, PARTICIPATION]);
  const splitOrders = pick(random, ['adjust', 'cancel'] as const);
  const fxAt = start + 5 * 24 * 60 * MINUTE_MS;
  const { simulation } = world({
    bars: tapes,
    securities: SYMBOLS.map((name) => security(name)),
    start: new Date(start).toISOString(),
    corporateActions: actions,
    quotes: true,
    seed,
    models: {
      fills: { ...PRINT_FILLS, participation, splitOrders },
      charges: CHARGE_SCHEDULES.standard,
      latency: LATENCY,
      margin,
      interest: DEFAULT_INTEREST,
    },
    accounts: [
      {
        ...{ id: 'a', currency: 'USD', cash: OPENING, fx: { USDHKD: decimal('7.80') } },
        fxSeries: [{ pair: 'USDHKD', from: [fxAt], rate: [decimal('7.70')] }],
        short: random() < 0.7,
      },
    ],
  });
  const account = accountOf(simulation, 'a');
  const shadow = new Shadow();
  const ids: OrderId[] = [];
  const submittedAt = new Map<OrderId, number>();
  const last = new Map<string, Decimal>();
  const taken = new Map<string, Decimal>();
  /** The time of each symbol's last tick. */
  const printed = new Map<string, number>();
  const waiting = actions
    .map((action) => {
      const tape = tapes[SYMBOLS.indexOf(action.symbol as Name)] as BarColumns;
      const midnight = midnightOf(marketOf(action.symbol), action.exDay);
      const bar = tape.time.findIndex((time) => time >= midnight);
      const at =
        action.kind === 'delisting'
          ? midnight
          : bar < 0
            ? Number.POSITIVE_INFINITY
            : (tape.time[bar] as number);
      return { action, at, next: new Decimal(bar < 0 ? 1 : (tape.open[bar] as number)) };
    })
    .sort((one, other) => one.at - other.at);
  const kinds = ['dividend', 'split', 'delisting'];
  let moved = 0;
  let interest = new Map<string, Decimal>();
  const reported = (what: string): string =>
    `seed ${seed} at ${new Date(simulation.now()).toISOString()}: ${what}`;

  /** The tick of an execution: the one that happens now, or the current one. */
  function checkFill(
    detail: OrderDetail,
    execution: { price: Decimal; quantity: Decimal; symbol: string },
  ): void {
    const place = SYMBOLS.indexOf(execution.symbol as Name);
    const tape = tapes[place] as BarColumns;
    const now = simulation.now();
    const happened = printed.get(execution.symbol) === now;
    const hasCome = (time: number): boolean => (happened ? time <= now : time < now);
    const bar = tape.time.findLastIndex(hasCome);
    const [low, high] = [tape.low[bar] as number, tape.high[bar] as number];
    if (bar < 0) throw new Error(reported('filled before the first bar'));
    if (execution.price.lt(low) || execution.price.gt(high))
      throw new Error(
        reported(
          `filled at ${execution.price} outside ${low} to ${high}: ${JSON.stringify([detail, splitOrders, margin.kind, margin.closeOut])}`,
        ),
      );
    const { price, quantity, side, type } = detail.terms;
    if (detail.executedQuantity.gt(quantity)) throw new Error(reported('filled beyond the quantity'));
    if (
      price !== undefined &&
      type !== 'MIT' &&
      (side === 'buy' ? execution.price.gt(price) : execution.price.lt(price))
    )
      throw new Error(reported(`filled at ${execution.price} beyond the limit ${price}`));
    const sent = submittedAt.get(detail.orderId);
    if (sent !== undefined && now < sent + LATENCY.ms) throw new Error(reported('filled before it arrived'));
    if (participation === undefined) return;
    const figures = {
      ...{ open: tape.open[bar] as number, high, low },
      ...{ close: tape.close[bar] as number, volume: tape.volume[bar] as number },
    };
    const prints = printsOf(
      figures,
      sessionPieces(tape.symbol.endsWith('HK') ? 'HK' : 'US', '30m', millis(tape.time[bar] as number)),
      'nearer-first',
    );
    const step = prints.findLastIndex(({ time }) => hasCome(time));
    const key = `${place} ${bar} ${step}`;
    const sum = (taken.get(key) ?? ZERO).plus(execution.quantity);
    taken.set(key, sum);
    if (sum.gt(new Decimal(prints[step]?.volume ?? 0).times(participation)))
      throw new Error(reported(`took ${sum} of ${prints[step]?.volume} shares`));
  }

  function check(): void {
    for (const move of account.cashPostings(millis(0)).slice(moved)) {
      moved += 1;
      shadow.move(move.currency, move.amount);
      interest.set(move.currency, (interest.get(move.currency) ?? ZERO).plus(move.amount));
    }
    for (const [currency, sum] of Object.entries(trialBalance(account)))
      if (sum !== '0') throw new Error(reported(`books of ${currency} sum to ${sum}`));
    const rate = decimal(simulation.now() >= fxAt ? '7.70' : '7.80');
    const balance = account.balance();
    let equity = ZERO;
    const into = (amount: Decimal, currency: string) => (currency === 'USD' ? amount : amount.div(rate));
    for (const [currency, cash] of shadow.cash) {
      const row = balance.cash.find((each) => each.currency === currency);
      if (row === undefined) throw new Error(reported(`no cash row of ${currency}`));
      const whole = row.available.plus(row.frozen);
      if (!whole.eq(cash)) throw new Error(reported(`${currency} is ${whole}, plain sums say ${cash}`));
      if (row.frozen.isNegative()) throw new Error(reported(`frozen ${row.frozen}`));
      equity = equity.plus(into(cash, currency));
    }
    const positions = new Map(account.positions().map((each) => [each.symbol as string, each.quantity]));
    for (const name of SYMBOLS) {
      const held = shadow.heldOf(name);
      if (!(positions.get(name) ?? ZERO).eq(held))
        throw new Error(reported(`${name}: ${positions.get(name)}, plain sums say ${held}`));
      if (!held.isZero()) equity = equity.plus(into(held.times(last.get(name) ?? ZERO), currencyOf(name)));
    }
    if (balance.equity.minus(equity).abs().gt('1e-9'))
      throw new Error(reported(`equity is ${balance.equity}, cash and positions are ${equity}`));
  }

  function step(): void {
    const own = simulation.nextVenueEventAt() <= simulation.nextPrintAt();
    const when = Math.min(simulation.nextVenueEventAt(), simulation.nextPrintAt());
    if (own && waiting[0] !== undefined && waiting[0].at === when) {
      const due = waiting.splice(0, waiting.filter(({ at }) => at === when).length);
      due.sort(
        (one, other) =>
          (one.action.exDay < other.action.exDay ? -1 : one.action.exDay > other.action.exDay ? 1 : 0) ||
          kinds.indexOf(one.action.kind) - kinds.indexOf(other.action.kind),
      );
      for (const { action, next } of due)
        last.set(action.symbol, shadow.act(action, next, last.get(action.symbol) ?? ZERO));
    }
    const events = own ? simulation.stepVenueEvent() : simulation.stepPrint();
    // Effects of a tick are emitted before the tick itself.
    for (const event of events) if (event.kind === 'quote') printed.set(event.quote.symbol, simulation.now());
    for (const event of events) {
      if (event.kind === 'quote') last.set(event.quote.symbol, event.quote.last);
      else {
        if (!submittedAt.has(event.change.detail.orderId))
          submittedAt.set(event.change.detail.orderId, simulation.now() - LATENCY.ms);
        shadow.hear(event);
        if (event.change.execution !== undefined) checkFill(event.change.detail, event.change.execution);
      }
    }
    const more = simulation.nextVenueEventAt() === simulation.now();
    if (!more) check();
  }

  let requests = 0;
  while (Math.min(simulation.nextVenueEventAt(), simulation.nextPrintAt()) < Number.POSITIVE_INFINITY) {
    step();
    if (simulation.nextVenueEventAt() === simulation.now() || random() > 0.3 || requests >= REQUESTS_A_WORLD)
      continue;
    requests += 1;
    const name = pick(random, SYMBOLS);
    const price = last.get(name);
    if (price === undefined) continue;
    const chance = random();
    const id = pick(random, ids.slice(-8));
    if (chance < 0.6 || id === undefined) {
      const submission = account.submit(terms(someDraft(random, name, price)), '');
      if (submission.kind !== 'accepted') continue;
      ids.push(submission.orderId);
      submittedAt.set(submission.orderId, simulation.now());
    } else if (chance < 0.8) account.cancel(id);
    else {
      const draft = someDraft(random, name, price);
      account.replace(id, {
        quantity: decimal(draft.quantity ?? '100'),
        ...(draft.price === undefined ? {} : { price: decimal(draft.price) }),
      });
    }
    check();
  }
  const book = (name: string, currency: string): Decimal =>
    account.books().find((row) => row.account === name && row.currency === currency)?.amount ?? ZERO;
  for (const currency of ['USD', 'HKD'] as const) {
    const plain = (sums: Map<string, Decimal>): string => (sums.get(currency) ?? ZERO).toString();
    expect(book('charges', currency).toString(), reported('charges')).toBe(plain(shadow.charges));
    expect(book('dividends', currency).neg().toString(), reported('dividends')).toBe(plain(shadow.dividends));
    expect(
      book('interest', currency).plus(book('borrowing', currency)).neg().toString(),
      reported('interest'),
    ).toBe(plain(interest));
    const cost = SYMBOLS.reduce((sum, name) => sum.plus(book(`position:${name}`, currency)), ZERO);
    const earned = book('realized', currency)
      .neg()
      .minus(book('charges', currency))
      .minus(book('dividends', currency))
      .minus(book('interest', currency))
      .minus(book('borrowing', currency));
    expect(book('cash', currency).plus(cost).minus(OPENING[currency]).toString(), reported('profit')).toBe(
      earned.toString(),
    );
  }
  interest = new Map();
  return requests;
}

describe('a venue with all features at once', () => {
  it('equals simple sums after every event, and fills nothing too early, too much or out of range', () => {
    let requests = 0;
    for (let seed = 1; requests < REQUESTS; seed += 1) requests += play(seed);
    expect(requests).toBeGreaterThanOrEqual(REQUESTS);
  }, 600_000);
});
