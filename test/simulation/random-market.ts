import { tradingDayAfter } from '#src/markets/calendar.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { dayHours } from '#src/markets/day-hours.ts';
import { type DayNumber, dayNumber } from '#src/markets/day-number.ts';
import { dayOf } from '#src/markets/sessions.ts';
import { tickSize, toPrice } from '#src/markets/ticks.ts';
import { sessionKinds } from '#src/markets/trading-sessions.ts';
import type { BarColumns } from '#src/model/bar.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { Decimal, decimal } from '#src/model/decimal.ts';
import type { OrderTerms } from '#src/model/order.ts';
import { marketOf, securitySymbol } from '#src/model/symbol.ts';
import { addDays, calendarDay, MINUTE_MS, millis } from '#src/model/time.ts';
import type { TradingSessions } from '#src/model/trading-sessions.ts';
import { DEFAULT_INTEREST } from '#src/simulation/books/interest.ts';
import {
  CASH_ACCOUNT,
  type LatencyModel,
  MARGIN_ACCOUNT,
  PRINT_FILLS,
  type SlippageModel,
} from '#src/simulation/models.ts';
import type { SimulationModels } from '#src/simulation/simulation-options.ts';
import { seeded } from '../signals/some-bars.ts';
import { type BarRow, bars, type Draft } from './world.ts';

export const NAMES = ['AAPL.US', '5.HK'] as const;
export type Name = (typeof NAMES)[number];

/**
 * Start days of worlds of five trading days: a half day and a holiday of New York, the day on which the ticks of Hong
 * Kong change, and half days of both.
 */
const ERAS = ['2025-07-01', '2025-07-31', '2024-12-23'] as const;
const DAYS = 5;
const BAR_MS = 30 * MINUTE_MS;
const REQUESTS = 40;

/** An external event at an instant; `which` is the index of the order that it addresses. */
export type Request =
  | { readonly kind: 'submit'; readonly at: number; readonly draft: Draft }
  | { readonly kind: 'cancel'; readonly at: number; readonly which: number }
  | {
      readonly kind: 'replace';
      readonly at: number;
      readonly which: number;
      readonly draft: Draft;
    }
  | { readonly kind: 'status'; readonly at: number; readonly name: Name; readonly halted: boolean };

export interface RandomMarket {
  readonly tapes: readonly BarColumns[];
  readonly actions: readonly CorporateAction[];
  readonly requests: readonly Request[];
  readonly held: TradingSessions;
  readonly models: SimulationModels;
  readonly short: boolean;
  readonly start: number;
}

type Random = () => number;

export const pick = <T>(random: Random, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T;

/** A market of two symbols over five days with all external events, from one integer. */
export function randomMarket(seed: number): RandomMarket {
  const random = seeded(seed * 7_919 + 1);
  for (let warm = 0; warm < 3; warm += 1) random();
  const held = pick(random, ['regular', 'extended', 'all'] as const);
  const first = dayNumber(calendarDay(pick(random, ERAS)));
  const actions: CorporateAction[] = [];
  const tapes = NAMES.map((name) => tapeOf(random, { name, held, first, actions }));
  const start = Math.min(...tapes.map(({ time }) => time[0] as number)) - 10 * MINUTE_MS;
  return {
    ...{ tapes, actions, held, start, short: random() < 0.7 },
    requests: requestsOf(random, tapes, start),
    models: modelsOf(random, held, seed),
  };
}

function modelsOf(random: Random, held: TradingSessions, seed: number): SimulationModels {
  return {
    fills: {
      ...PRINT_FILLS,
      sessions: held,
      participation: pick(random, [undefined, undefined, 0.1]),
      slippage: pick<SlippageModel>(random, [
        { kind: 'none' },
        { kind: 'none' },
        { kind: 'ticks', ticks: 2 },
        { kind: 'spread', ratio: decimal('0.001') },
      ]),
      limitFills: pick(random, ['touch', 'touch', 'through', { chance: 0.5, seed }] as const),
      splitOrders: pick(random, ['adjust', 'cancel'] as const),
      insideBars: pick(random, ['close', 'tick'] as const),
    },
    charges: CHARGE_SCHEDULES.standard,
    latency: pick<LatencyModel>(random, [
      { kind: 'none' },
      { kind: 'fixed', ms: 700 },
      { kind: 'uniform', minMs: 200, maxMs: 400_000 },
    ]),
    margin: pick(random, [
      CASH_ACCOUNT,
      { ...CASH_ACCOUNT, settledOnly: true },
      MARGIN_ACCOUNT,
      { ...MARGIN_ACCOUNT, closeOut: 'forced' as const },
      { ...MARGIN_ACCOUNT, closeOut: 'as-needed' as const },
    ]),
    interest: DEFAULT_INTEREST,
  };
}

interface TapeWish {
  readonly name: Name;
  readonly held: TradingSessions;
  readonly first: DayNumber;
  /** Receives a split that happens during the run. */
  readonly actions: CorporateAction[];
}

/** Half hours of all sessions of a market, some missing, some without volume; every price on the tick of its day. */
function tapeOf(random: Random, { name, held, first, actions }: TapeWish): BarColumns {
  const market = marketOf(securitySymbol(name));
  const rows: BarRow[] = [];
  let last = name === '5.HK' ? 19 + random() * 6 : pick(random, [50, 1.02]);
  let day = first;
  for (let place = 0; place < DAYS; place += 1, day = tradingDayAfter(market, day)) {
    const { date, sessions } = dayHours(market, day);
    const onTick = (price: number): number => {
      const exact = new Decimal(Math.max(0.05, price));
      return toPrice(
        exact.toNumber(),
        tickSize({ market, kind: 'stock' }, exact, date),
        'nearest',
      ).toNumber();
    };
    if (place === 2 && random() < 0.3) {
      const ratio = pick(random, ['2', '0.5', '3']);
      actions.push({ kind: 'split', symbol: securitySymbol(name), exDay: date, ratio: decimal(ratio) });
      last /= Number(ratio);
    }
    if (place > 0 && random() < 0.15)
      actions.push({
        ...{ kind: 'dividend', symbol: securitySymbol(name), exDay: date },
        perShare: decimal('0.11'),
      });
    for (const session of sessions.filter(({ kind }) => sessionKinds(held).includes(kind))) {
      for (let opens = session.open as number; opens < session.close; opens += BAR_MS) {
        if (random() < 0.12) continue;
        const open = onTick(last * (1 + (random() - 0.5) * 0.02));
        const close = onTick(open * (1 + (random() - 0.5) * 0.03));
        const high = Math.max(open, close, onTick(open * (1 + random() * 0.02)));
        const low = Math.min(open, close, onTick(open * (1 - random() * 0.02)));
        last = close;
        rows.push([opens, open, high, low, close, random() < 0.1 ? 0 : 100 + Math.floor(random() * 9_000)]);
      }
    }
  }
  return bars(name, '30m', rows);
}

function requestsOf(random: Random, tapes: readonly BarColumns[], start: number): readonly Request[] {
  const requests: Request[] = [];
  for (let made = 0; made < REQUESTS; made += 1) {
    const name = pick(random, NAMES);
    const tape = tapes[NAMES.indexOf(name)] as BarColumns;
    const bar = Math.floor(random() * tape.length);
    const stamp = tape.time[bar] as number;
    const at = Math.max(
      start,
      stamp +
        pick(random, [0, 0, -1, random() * BAR_MS, random() * BAR_MS, (random() - 0.5) * 24 * 3_600_000]),
    );
    const whole = Math.round(at);
    const chance = random();
    const draft = draftOf(random, { name, at: whole, near: tape.close[bar] as number });
    if (chance < 0.72) requests.push({ kind: 'submit', at: whole, draft });
    else if (chance < 0.82) requests.push({ kind: 'cancel', at: whole, which: made });
    else if (chance < 0.94) requests.push({ kind: 'replace', at: whole, which: made, draft });
    else {
      requests.push({ kind: 'status', at: whole, name, halted: true });
      requests.push({ kind: 'status', at: whole + Math.round(random() * 4 * BAR_MS), name, halted: false });
    }
  }
  return requests.sort((one, other) => one.at - other.at);
}

const EVERYWHERE = ['MO', 'LO', 'LO', 'LO', 'LIT', 'MIT', 'TSLPAMT', 'TSLPPCT'] as const;
const HONG_KONG = [...EVERYWHERE, 'ELO', 'AO', 'ALO', 'ODD', 'SLO'] as const;

/** An order of any type of its market, with every field that the type permits. */
function draftOf(random: Random, { name, at, near }: { name: Name; at: number; near: number }): Draft {
  const market = marketOf(securitySymbol(name));
  const day = dayOf(market, millis(at));
  const price = (): string => {
    const wanted = new Decimal(near * (0.97 + random() * 0.06));
    return toPrice(wanted.toNumber(), tickSize({ market, kind: 'stock' }, wanted, day), 'nearest').toString();
  };
  const type = pick(random, name === '5.HK' ? HONG_KONG : EVERYWHERE);
  const lots = 1 + Math.floor(random() * 9);
  const odd = String(1 + Math.floor(random() * 99));
  const common = {
    ...{ symbol: name, type, side: pick(random, ['buy', 'buy', 'sell'] as const) },
    quantity: type === 'ODD' ? odd : String(lots * 100),
  };
  const inForce = pick(random, ['day', 'gtc', 'gtd'] as const);
  const long = {
    timeInForce: inForce,
    ...(inForce === 'gtd' ? { expireDate: addDays(day, 1 + Math.floor(random() * 4)) } : {}),
  };
  const hours: Pick<Draft, 'outsideRth'> =
    name === '5.HK' ? {} : { outsideRth: pick(random, ['rth-only', 'any-time', 'any-time'] as const) };
  const hits = random() < 0.3 ? { triggerCount: Math.floor(random() * 3) } : {};
  const behind: Draft = {
    ...(random() < 0.2
      ? { limitDepthLevel: pick(random, [-2, 1, 3]) }
      : { limitOffset: pick(random, ['0', '0.1']) }),
    ...(random() < 0.3 ? { monitorPrice: price() } : {}),
  };
  switch (type) {
    case 'MO':
      return { ...common, ...hours };
    case 'AO':
      return common;
    case 'LO': {
      const night = name === 'AAPL.US' && random() < 0.2 ? { outsideRth: 'overnight' as const } : hours;
      return { ...common, ...long, ...night, price: price() };
    }
    case 'ELO':
      return { ...common, ...long, price: price() };
    case 'ALO':
    case 'ODD':
    case 'SLO':
      return { ...common, price: price() };
    case 'LIT':
      return { ...common, ...long, ...hours, ...hits, triggerPrice: price(), price: price() };
    case 'MIT':
      return { ...common, ...long, ...hours, ...hits, triggerPrice: price() };
    case 'TSLPAMT':
      return { ...common, ...long, ...hours, ...behind, trailingAmount: (near * 0.01).toFixed(3) };
    case 'TSLPPCT':
      return { ...common, ...long, ...hours, ...behind, trailingPercent: pick(random, ['0.5', '1.5']) };
  }
}

/** The sessions in which an order may trade, implemented independently. */
export function sessionsAllowed(
  { symbol, type, outsideRth }: Pick<OrderTerms, 'symbol' | 'type' | 'outsideRth'>,
  held: TradingSessions,
): readonly string[] {
  if (held === 'regular') return ['regular'];
  if (marketOf(symbol) === 'HK') {
    if (type === 'AO' || type === 'ALO') return ['opening-auction', 'regular', 'closing-auction'];
    return type === 'LO' || type === 'ELO' ? ['regular', 'closing-auction'] : ['regular'];
  }
  if (type === 'MO' || type === 'MIT') return ['regular'];
  if (outsideRth === 'any-time') return ['pre', 'regular', 'post'];
  return outsideRth === 'overnight' && held === 'all' ? ['overnight'] : ['regular'];
}
