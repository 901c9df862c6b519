import { StrategyError } from '../engine/strategy-error.ts';
import type { Schedule } from '../execution/operator/schedule.ts';
import type { ExecutionPolicy } from '../execution/orders/order-style.ts';
import type { HostedRule } from '../hosts/rules/evaluate-rules.ts';
import { authorCall } from '../hosts/sandbox/author-calls.ts';
import { programIn } from '../hosts/strategy/signal-runs.ts';
import type { BidAskTable } from '../market-data/bid-ask.ts';
import { barClose, sessionPieces } from '../markets/bar-span.ts';
import type { ChargeSchedule } from '../markets/charges.ts';
import type { Span } from '../markets/day-hours.ts';
import { hasTable } from '../markets/market-records.ts';
import { sessionsOf as calendarSessions, midnightOf } from '../markets/sessions.ts';
import { nextOpenOf, sessionKinds } from '../markets/trading-sessions.ts';
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

/** Historical data and the account for a replay: everything that determines the behaviour of the simulated venue. */
export interface ReplaySetup {
  /** In the config's order. */
  readonly securities: readonly Security[];
  /** Bars per symbol, in the same order, from the first available to the last day of `to`. */
  readonly history: readonly BarColumns[];
  /** First and last day, inclusive, on the calendar of each exchange. */
  readonly from: CalendarDay;
  readonly to: CalendarDay;
  readonly currency: Currency;
  readonly cash: Readonly<Record<Currency, Decimal>>;
  readonly fx: FxRates;
  /**
   * Exchange rates that change, instead of the figures of their pairs; `fx` has their initial values. Absent: none.
   */
  readonly fxSeries?: readonly FxSeries[];
  readonly charges: ChargeSchedule;
  readonly margin: MarginModel;
  /** Whether the account may sell short; absent: no. */
  readonly short?: boolean;
  /**
   * Behaviour of market and venue; absent: DEFAULT_RULES. `margin` and `charges` already include the configured cover
   * and commission.
   */
  readonly rules?: SimulationRules;
  /** Absent: none. */
  readonly corporateActions?: readonly CorporateAction[];
  /** Best bids and asks that market orders match; absent: they match prints only. */
  readonly bidAsk?: readonly BidAskTable[];
  /** Known corporate actions that are not applied, for the report. */
  readonly unapplied?: readonly CorporateAction[];
  /** Number of bars outside the run's sessions, which are omitted; absent: none. */
  readonly outsideHours?: number;
  readonly seed: number;
}

/** One of several strategies of a run. */
export interface MemberSetup<S extends Pick<Strategy, 'name'> = Strategy> {
  readonly name: string;
  readonly strategy: S;
  readonly params: ParamValues<ParamDeclarations>;
  readonly symbols: readonly SecuritySymbol[];
  readonly limits: StrategyLimits;
  readonly policy: ExecutionPolicy;
}

/**
 * One run, backtest or paper: everything that determines its result. If the strategy runs in a worker, only its name
 * is known here.
 */
export interface RunSetup<S extends Pick<Strategy, 'name'> = Strategy, R extends DeclaredRule = HostedRule>
  extends ReplaySetup {
  /** Path of the config as given by the user. */
  readonly config: string;
  readonly strategy: S;
  readonly params: ParamValues<ParamDeclarations>;
  /**
   * Several strategies that share the account, instead of `strategy`, `params` and `policy`; absent: one strategy.
   */
  readonly members?: readonly MemberSetup<S>[];
  readonly period: Period;
  readonly limits: RiskLimits;
  readonly policy: ExecutionPolicy;
  /** Custom risk rules in evaluation order; absent: none. */
  readonly ownRules?: readonly R[];
  /** Absent: none. */
  readonly schedule?: Schedule;
  /** Backtests only: what the simulated operator does about a stopped gate; absent: none. */
  readonly operator?: 'next-day' | 'absent';
  /** Cache of indicator columns, shared by runs with other parameters over the same bars; absent: no sharing. */
  readonly columnCache?: ColumnCache;
  /** Limits the bot's view of its venue to documented behaviour. Absent: false. */
  readonly onlyDocumented?: boolean;
}

/** Name, parameters and description of a custom risk rule, without its code. */
export interface DeclaredRule extends Pick<HostedRule, 'name' | 'params'> {
  readonly rule: Pick<HostedRule['rule'], 'doc'>;
}

/** The setup of a paper or live run, without the code of strategies and rules. */
export type PaperSetup = RunSetup<Pick<Strategy, 'name'>, DeclaredRule>;

/** Returns the name of a run: its strategy, or all that share the account. */
export function runName({ strategy, members }: Pick<PaperSetup, 'strategy' | 'members'>): string {
  return members === undefined ? strategy.name : members.map(({ name }) => name).join(' + ');
}

/** Returns the sessions whose bars a run uses. */
export function sessionsOf({ rules = DEFAULT_RULES }: Pick<ReplaySetup, 'rules'>): TradingSessions {
  return rules.fills.sessions ?? 'regular';
}

/** Account id at the simulated venue. */
export const ACCOUNT_ID = 'paper';

/**
 * Returns the start of a run: midnight of the first day at the earliest of its exchanges, or later if another
 * exchange still trades the day before, as New York at midnight in Hong Kong.
 */
export function startOf(symbols: readonly SecuritySymbol[], from: CalendarDay): Millis {
  const markets = [...new Set(symbols.map(marketOf))];
  const midnight = firstMidnight(symbols, from);
  if (markets.length < 2) return midnight;
  const ended = markets.map(
    (market) => calendarSessions(market, addDays(from, -1)).at(-1)?.close ?? midnight,
  );
  const opens = markets.map((market) => nextOpenOf(market, midnightOf(market, from), sessionKinds('all')));
  return millis(Math.min(Math.max(midnight, ...ended), ...opens));
}

/** Returns midnight of a day at the earliest of the symbols' exchanges. */
export function firstMidnight(symbols: readonly SecuritySymbol[], from: CalendarDay): Millis {
  return millis(Math.min(...symbols.map((symbol) => midnightOf(marketOf(symbol), from))));
}

/** Returns when bars of a symbol start to count: midnight of the first day at its exchange. */
export function barsBegin({ symbol }: Pick<BarColumns, 'symbol'>, from: CalendarDay): Millis {
  return midnightOf(marketOf(symbol), from);
}

/** Returns when a symbol's data ends: midnight after the last day. */
export function endOf(symbol: SecuritySymbol, to: CalendarDay): Millis {
  return midnightOf(marketOf(symbol), addDays(to, 1));
}

/** Returns when all data of a run has ended. */
export function dataEnd({ securities, to }: Pick<ReplaySetup, 'securities' | 'to'>): Millis {
  return millis(Math.max(...securities.map(({ symbol }) => endOf(symbol, to))));
}

/**
 * Compiles the strategy's signal graph; empty without signals. Throws StrategyError if `signals` throws or returns
 * anything else; the stepper throws it if a custom indicator throws.
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
  const program = callSignals(strategy, () => programIn(strategy, params, feed));
  if (!program.own) return program;
  return {
    ...program,
    charted: (bars) => callSignals(strategy, () => program.charted(bars)),
    stepper: (context) => {
      const stepper = callSignals(strategy, () => program.stepper(context));
      return {
        ...stepper,
        warm: (bar) => callSignals(strategy, () => stepper.warm(bar)),
        push: (bar) => callSignals(strategy, () => stepper.push(bar)),
      };
    },
  };
}

/** Calls an author's code of `signals`; converts exceptions to StrategyError. */
function callSignals<T>({ name }: Pick<Strategy, 'name'>, work: () => T): T {
  try {
    return authorCall(name, 'signals', undefined, work);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new StrategyError(`Strategy "${name}" threw in signals: ${message}${userStackFrame(cause)}`, {
      cause,
    });
  }
}

/** A full trading day in every market with a calendar. */
const FULL_DAY = calendarDay('2024-01-03');

/** Returns the feed of a signal graph: the period of the bars, and the longest trading day among the symbols. */
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
          ({ kind }) => kind !== 'regular' && sessionKinds(held).includes(kind),
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

/** A symbol's bars including its warm-up, and the index of the first bar of the run. */
export interface RunColumns {
  readonly columns: BarColumns;
  readonly firstBar: number;
}

/**
 * Selects the bars of a run: at most `warmup` that closed by `start`, and all that open from `start` (see
 * `barsBegin`). Omits a bar that spans `start`, of which a bot would see only the end.
 */
export function cutColumns(history: BarColumns, start: Millis, warmup: number): RunColumns {
  const first = lowerBound(history, start);
  const known = first > 0 && closeOf(history, first - 1) > start ? first - 1 : first;
  const begin = Math.max(0, known - warmup);
  return { columns: withoutSpanningBar(history, { begin, known, first }), firstBar: known - begin };
}

/**
 * Returns the bars that closed by the end of a run; a weekly or monthly bar that is open then includes later prices.
 */
export function closedBy(bars: BarColumns, end: Millis): BarColumns {
  if (intradayMs(bars.period) !== undefined || bars.period === '1d') return bars;
  let { length } = bars;
  while (length > 0 && closeOf(bars, length - 1) > end) length -= 1;
  return length === bars.length ? bars : barsBetween(bars, 0, length);
}

function closeOf({ symbol, period, time }: BarColumns, index: number): Millis {
  return barClose(marketOf(symbol), period, millis(time[index] as number));
}

/** A symbol's bars, read in pieces, and the row of the first bar of the run. */
export interface RunRows {
  readonly rows: BarRows;
  readonly firstBar: number;
}

/** Selects bars like `cutColumns`, but reads only the bars needed to locate the rows. */
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

/** Returns the bars from `begin` to `known` (exclusive) and all from `first`; copies only if that omits one. */
function withoutSpanningBar(
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
 * Returns the options of the simulated venue for a replay; `quotes` publishes every print. Starts at `startOf` unless
 * `start` is given.
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

/** Returns the corporate actions without delistings after the last day. */
export function actionsWithin({
  corporateActions = [],
  to,
}: Pick<ReplaySetup, 'corporateActions' | 'to'>): readonly CorporateAction[] {
  return corporateActions.filter(({ kind, exDay }) => kind !== 'delisting' || exDay <= to);
}

/** Returns the initial equity: all cash, in the account's currency; NaN if a rate is missing. */
export function openingEquity({ cash, currency, fx }: Pick<ReplaySetup, 'cash' | 'currency' | 'fx'>): number {
  return Object.entries(cash).reduce((sum, [held, amount]) => {
    return sum + amount.toNumber() * (rateBetween(held, currency, fx)?.toNumber() ?? Number.NaN);
  }, 0);
}
