import { StrategyError } from '../engine/strategy-error.ts';
import type { Schedule } from '../execution/operator/schedule.ts';
import type { ExecutionPolicy } from '../execution/orders/order-style.ts';
import type { HostedRule } from '../hosts/rules/ask-rules.ts';
import { authorCall } from '../hosts/sandbox/author-calls.ts';
import { programIn } from '../hosts/strategy/signal-runs.ts';
import type { BidAskTable } from '../market-data/bid-ask.ts';
import { barClose, sessionPieces } from '../markets/bar-span.ts';
import type { ChargeSchedule } from '../markets/charges.ts';
import type { Span } from '../markets/day-hours.ts';
import { kindsHeld, nextOpenOf } from '../markets/held-sessions.ts';
import { hasTable } from '../markets/market-records.ts';
import { sessionsOf as calendarSessions, midnightOf } from '../markets/sessions.ts';
import { type BarColumns, lowerBound } from '../model/bar.ts';
import { barColumns, barsBetween } from '../model/bar-columns.ts';
import { type BarRows, rowsFrom, rowsOf } from '../model/bar-rows.ts';
import type { CorporateAction } from '../model/corporate-action.ts';
import type { FxSeries } from '../model/dated-rates.ts';
import type { Decimal } from '../model/decimal.ts';
import { type FxRates, rateBetween } from '../model/fx.ts';
import type { Currency } from '../model/money.ts';
import { intradayMs, type Period } from '../model/period.ts';
import type { Security } from '../model/security.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { addDays, type CalendarDay, calendarDay, type Millis, millis } from '../model/time.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';
import type { RiskLimits } from '../risk/limits.ts';
import type { StrategyLimits } from '../risk/strategy-limits.ts';
import type { Feed } from '../signals/bar-series.ts';
import type { ColumnCache } from '../signals/column-cache.ts';
import type { SignalProgram } from '../signals/program.ts';
import { applicableInterest } from '../simulation/books/interest.ts';
import type { MarginModel } from '../simulation/models.ts';
import { DEFAULT_RULES, type SimulationRules } from '../simulation/rules.ts';
import type { SimulationOptions } from '../simulation/simulation-options.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import type { ParamDeclarations, ParamValues } from '../strategy/params.ts';
import { userStackFrame } from '../strategy/user-stack-frame.ts';

/** A past to replay and the account to open for it: all that decides what the simulated venue does. */
export interface ReplaySetup {
  /** In the config's order. */
  readonly securities: readonly Security[];
  /** Bars per symbol, in the same order, from the first there is to the last of `to`. */
  readonly history: readonly BarColumns[];
  /** Both days included, each the exchange's own. */
  readonly from: CalendarDay;
  readonly to: CalendarDay;
  readonly currency: Currency;
  readonly cash: Readonly<Record<Currency, Decimal>>;
  readonly fx: FxRates;
  /** Rates that change, in place of the figures of their pairs; `fx` has those of the start. None when absent. */
  readonly fxSeries?: readonly FxSeries[];
  readonly charges: ChargeSchedule;
  readonly margin: MarginModel;
  /** Whether the account may sell what it does not hold; not when absent. */
  readonly short?: boolean;
  /** How the market and the venue behave; DEFAULT_RULES when absent. Cover and commission are in `margin` and `charges`. */
  readonly rules?: SimulationRules;
  /** What companies do to their shares; nothing when absent. */
  readonly corporateActions?: readonly CorporateAction[];
  /** Best bids and asks that market orders meet; they meet prints alone when absent. */
  readonly bidAsk?: readonly BidAskTable[];
  /** What is known of that and not wanted, for the report to say. */
  readonly unapplied?: readonly CorporateAction[];
  /** How many bars outside regular hours the files have, which are left out; none when absent. */
  readonly outsideHours?: number;
  readonly seed: number;
}

/** One of several strategies of a run, and what is its own. */
export interface MemberSetup<S extends Pick<Strategy, 'name'> = Strategy> {
  readonly name: string;
  readonly strategy: S;
  readonly params: ParamValues<ParamDeclarations>;
  readonly symbols: readonly SecuritySymbol[];
  readonly limits: StrategyLimits;
  readonly policy: ExecutionPolicy;
}

/**
 * One run of one strategy over one past, backtest or paper: everything that decides its outcome. Where the strategy runs in
 * a worker thread, only its name is known here.
 */
export interface RunSetup<S extends Pick<Strategy, 'name'> = Strategy, R extends DeclaredRule = HostedRule>
  extends ReplaySetup {
  /** Path of the YAML as the user gave it. */
  readonly config: string;
  readonly strategy: S;
  readonly params: ParamValues<ParamDeclarations>;
  /** Several strategies that share the account, in place of `strategy`, `params` and `policy`; absent: there is one. */
  readonly members?: readonly MemberSetup<S>[];
  readonly period: Period;
  readonly limits: RiskLimits;
  readonly policy: ExecutionPolicy;
  /** Custom risk rules, in the order in which they are evaluated; none when absent. */
  readonly ownRules?: readonly R[];
  /** What is due when; absent: nothing is. */
  readonly schedule?: Schedule;
  /** Backtests only: the actions of the simulated operator on a stopped gate; none when absent. */
  readonly operator?: 'next-day' | 'absent';
  /** Columns of indicators that runs with other parameters over these bars computed; every run computes its own when absent. */
  readonly columnCache?: ColumnCache;
  /** The bot sees its venue through what the source document describes and nothing more. False when absent. */
  readonly onlyDocumented?: boolean;
}

/** A custom risk rule as seen from outside its host: its name, parameters and description. */
export interface DeclaredRule extends Pick<HostedRule, 'name' | 'params'> {
  readonly rule: Pick<HostedRule['rule'], 'doc'>;
}

/** What a run on paper or live knows: its strategy by name, and what its rules say of themselves. */
export type PaperSetup = RunSetup<Pick<Strategy, 'name'>, DeclaredRule>;

/** What a run is called: its strategy, or all that share the account. */
export function runName({ strategy, members }: Pick<PaperSetup, 'strategy' | 'members'>): string {
  return members === undefined ? strategy.name : members.map(({ name }) => name).join(' + ');
}

/** The sessions whose bars a run uses. */
export function sessionsOf({ rules = DEFAULT_RULES }: Pick<ReplaySetup, 'rules'>): TradingSessions {
  return rules.fills.sessions ?? 'regular';
}

/** The account's id at the simulated venue. */
export const ACCOUNT_ID = 'paper';

/**
 * The instant at which a run begins: midnight of the first day, the earliest of its exchanges. Where the day before is still
 * traded on another exchange then, as in New York at midnight of Hong Kong, the run begins after its last session.
 */
export function startOf(symbols: readonly SecuritySymbol[], from: CalendarDay): Millis {
  const markets = [...new Set(symbols.map(marketOf))];
  const midnight = firstMidnight(symbols, from);
  if (markets.length < 2) return midnight;
  const ended = markets.map(
    (market) => calendarSessions(market, addDays(from, -1)).at(-1)?.close ?? midnight,
  );
  const opens = markets.map((market) => nextOpenOf(market, midnightOf(market, from), kindsHeld('all')));
  return millis(Math.min(Math.max(midnight, ...ended), ...opens));
}

/** Midnight of a day, the earliest of the symbols' exchanges. */
export function firstMidnight(symbols: readonly SecuritySymbol[], from: CalendarDay): Millis {
  return millis(Math.min(...symbols.map((symbol) => midnightOf(marketOf(symbol), from))));
}

/** The instant from which on bars of a symbol count: midnight of the first day at its own exchange. */
export function barsBegin({ symbol }: Pick<BarColumns, 'symbol'>, from: CalendarDay): Millis {
  return midnightOf(marketOf(symbol), from);
}

/** The instant at which a symbol's data ends: midnight after the last day. */
export function endOf(symbol: SecuritySymbol, to: CalendarDay): Millis {
  return midnightOf(marketOf(symbol), addDays(to, 1));
}

/** The instant at which all data of a run has ended. */
export function dataEnd({ securities, to }: Pick<ReplaySetup, 'securities' | 'to'>): Millis {
  return millis(Math.max(...securities.map(({ symbol }) => endOf(symbol, to))));
}

/**
 * Builds the strategy's signal graph from its parameters; a strategy without signals has an empty one.
 * Throws StrategyError when the strategy's own `signals` throws or gives back something else than signals; so does its stepper
 * where an indicator of the author's own throws.
 */
export function programOf(
  setup: Pick<RunSetup, 'strategy' | 'params' | 'period' | 'rules'> & {
    readonly securities: readonly Pick<Security, 'symbol'>[];
  },
): SignalProgram {
  const { strategy, params, period } = setup;
  const feed = feedOf(
    period,
    setup.securities.map(({ symbol }) => symbol),
    sessionsOf(setup),
  );
  const program = inSignals(strategy, () => programIn(strategy, params, feed));
  if (!program.own) return program;
  return {
    ...program,
    charted: (bars) => inSignals(strategy, () => program.charted(bars)),
    stepper: (context) => {
      const stepper = inSignals(strategy, () => program.stepper(context));
      return {
        ...stepper,
        warm: (bar) => inSignals(strategy, () => stepper.warm(bar)),
        push: (bar) => inSignals(strategy, () => stepper.push(bar)),
      };
    },
  };
}

/** Does something with what an author wrote in `signals`; what it throws is the strategy's fault. */
function inSignals<T>({ name }: Pick<Strategy, 'name'>, work: () => T): T {
  try {
    return authorCall(name, 'signals', undefined, work);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new StrategyError(`Strategy "${name}" threw in signals: ${message}${userStackFrame(cause)}`, {
      cause,
    });
  }
}

/** A day on which every market that has a table trades in full. */
const FULL_DAY = calendarDay('2024-01-03');

/** The longest trading day among the symbols of a run, and the period of its bars: what a signal graph is built on. */
export function feedOf(
  period: Period,
  symbols: readonly SecuritySymbol[],
  held: TradingSessions = 'regular',
): Feed {
  const days = symbols.map((symbol) => {
    const market = marketOf(symbol);
    const regular = sessionPieces(market, '1d', midnightOf(market, FULL_DAY));
    const others = hasTable(market)
      ? calendarSessions(market, FULL_DAY).filter(
          ({ kind }) => kind !== 'regular' && kindsHeld(held).includes(kind),
        )
      : [];
    return { dayPieces: regular.map(lengthOf), otherPieces: others.map(lengthOf) };
  });
  const total = ({ dayPieces, otherPieces }: (typeof days)[number]): number =>
    [...dayPieces, ...otherPieces].reduce((sum, piece) => sum + piece, 0);
  const { dayPieces, otherPieces } = days.toSorted((one, other) => total(other) - total(one))[0] ?? {
    dayPieces: [],
    otherPieces: [],
  };
  return { period, dayPieces, ...(otherPieces.length === 0 ? {} : { otherPieces }) };
}

function lengthOf({ open, close }: Span): number {
  return close - open;
}

/** A symbol's bars from its warm-up on, and where those begin that count. */
export interface RunColumns {
  readonly columns: BarColumns;
  readonly firstBar: number;
}

/**
 * Cuts the bars that a run reads: at most `warmup` that closed by `start`, and all that open from there; `start` is `barsBegin`. A bar that
 * runs then is left out: a bot that began then saw only the end of it.
 */
export function cutColumns(history: BarColumns, start: Millis, warmup: number): RunColumns {
  const first = lowerBound(history, start);
  const known = first > 0 && closeOf(history, first - 1) > start ? first - 1 : first;
  const begin = Math.max(0, known - warmup);
  return { columns: pickColumns(history, { begin, known, first }), firstBar: known - begin };
}

/** The bars that have closed by the end of a run: a week or a month that is open then has prices of days after it. */
export function closedBy(bars: BarColumns, end: Millis): BarColumns {
  if (intradayMs(bars.period) !== undefined || bars.period === '1d') return bars;
  let { length } = bars;
  while (length > 0 && closeOf(bars, length - 1) > end) length -= 1;
  return length === bars.length ? bars : barsBetween(bars, 0, length);
}

function closeOf({ symbol, period, time }: BarColumns, index: number): Millis {
  return barClose(marketOf(symbol), period, millis(time[index] as number));
}

/** The same of bars that are looked at piece by piece. */
export interface RunRows {
  readonly rows: BarRows;
  readonly firstBar: number;
}

/** Cuts bars as `cutColumns` does, without reading more of them than it needs to know where. */
export function cutRows(history: BarColumns, start: Millis, warmup: number, atOnce?: number): RunRows {
  const rows = rowsOf(history, atOnce);
  const first = rows.firstFrom(start);
  const before = first > 0 ? barClose(marketOf(rows.symbol), rows.period, stampOf(rows, first - 1)) : start;
  if (before <= start) {
    const begin = Math.max(0, first - warmup);
    return { rows: rowsFrom(rows, begin), firstBar: first - begin };
  }
  const { columns, firstBar } = cutColumns(history, start, warmup);
  return { rows: rowsOf(columns, atOnce), firstBar };
}

function stampOf(rows: BarRows, row: number): Millis {
  return millis(rows.open()(row, row + 1).time[0] as number);
}

/** The bars from `begin` up to but not including `known`, and all from `first`; copied only where that leaves one out. */
function pickColumns(
  bars: BarColumns,
  { begin, known, first }: { readonly begin: number; readonly known: number; readonly first: number },
): BarColumns {
  if (begin === 0 && known === first) return bars;
  if (known === first) return barsBetween(bars, begin);
  const length = bars.length - begin - (first - known);
  const pick = (column: Float64Array): Float64Array => {
    const picked = new Float64Array(length);
    picked.set(column.subarray(begin, known));
    picked.set(column.subarray(first), known - begin);
    return picked;
  };
  return barColumns(bars, (figure) => pick(bars[figure]));
}

/**
 * The simulated venue of a replay; `quotes` is true if every print is published. It begins at `startOf` unless `start` is set.
 */
export function simulationOptions(replay: ReplaySetup, quotes: boolean, start?: Millis): SimulationOptions {
  const { securities, history, currency, cash, fx, charges, margin, seed, short = false } = replay;
  const { fills, latency, interest } = replay.rules ?? DEFAULT_RULES;
  const symbols = securities.map((security) => security.symbol);
  return {
    securities,
    bars: history,
    start: start ?? startOf(symbols, replay.from),
    accounts: [{ id: ACCOUNT_ID, currency, cash, fx, fxSeries: replay.fxSeries ?? [], short }],
    quotes,
    corporateActions: actionsWithin(replay),
    bidAsk: replay.bidAsk ?? [],
    models: { fills, charges, latency, margin, interest: applicableInterest(interest, { margin, short }) },
    seed,
  };
}

/** All but the delistings that come after the last day. */
export function actionsWithin({
  corporateActions = [],
  to,
}: Pick<ReplaySetup, 'corporateActions' | 'to'>): readonly CorporateAction[] {
  return corporateActions.filter(({ kind, exDay }) => kind !== 'delisting' || exDay <= to);
}

/** Equity before anything was traded: all cash, in the account's currency. NaN when a rate is missing. */
export function openingEquity({ cash, currency, fx }: Pick<ReplaySetup, 'cash' | 'currency' | 'fx'>): number {
  return Object.entries(cash).reduce((sum, [held, amount]) => {
    return sum + amount.toNumber() * (rateBetween(held, currency, fx)?.toNumber() ?? Number.NaN);
  }, 0);
}
