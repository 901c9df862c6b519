import { runBacktest } from '../backtest/run-backtest.ts';
import { barsBegin, programOf, type RunSetup } from '../backtest/setup.ts';
import type { SluiceEvent } from '../events/event.ts';
import type { RunRecord } from '../events/run-record.ts';
import { CHARGE_SCHEDULES } from '../markets/charge-schedules.ts';
import { defaultLotSize } from '../markets/lots.ts';
import { defaultMargin } from '../markets/margin.ts';
import { marketRecord } from '../markets/market-records.ts';
import { dayOf } from '../markets/sessions.ts';
import type { BarColumns } from '../model/bar.ts';
import { Decimal } from '../model/decimal.ts';
import type { Alarm } from '../model/notice.ts';
import type { Period } from '../model/period.ts';
import type { Security } from '../model/security.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type CalendarDay, calendarDay, millis } from '../model/time.ts';
import type { RiskLimits } from '../risk/limits.ts';
import { CASH_ACCOUNT } from '../simulation/models.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import { type Move, shapesOf } from './moves.ts';
import { columnsOf, daysBefore, stampsFrom } from './timetable.ts';
import { hooksFor, type Trouble } from './trouble.ts';
import { wideLimits } from './wide-limits.ts';

/** Settings that do not depend on the strategy; see `Setting`. */
export interface StageSetting {
  /** First day, `YYYY-MM-DD`; the first trading day from there on. */
  readonly from?: string;
  /** Price of every symbol before the moves, long enough to warm up. Default 100. */
  readonly price?: number;
  /** Opening cash in the currency of the symbols; default 100,000. */
  readonly cash?: number;
  /** Risk limits in place of wide ones. */
  readonly limits?: Partial<RiskLimits>;
  /** Faults between bot and market. */
  readonly trouble?: Trouble;
}

const FIRST_DAY = '2024-01-02';
/** More orders than this at one instant mean that a strategy reacts to its own orders without end. */
const ORDERS_AT_ONCE_MAX = 200;

/** A strategy in its setting, with the moves of each symbol. */
export interface Stage {
  readonly strategy: Strategy;
  readonly params: RunSetup['params'];
  readonly symbols: readonly SecuritySymbol[];
  readonly period: Period;
  readonly setting: StageSetting;
  readonly movesOf: (symbol: SecuritySymbol) => readonly Move[];
}

function stageSetup(stage: Stage): RunSetup {
  const { strategy, params, symbols, period, setting } = stage;
  const from = calendarDay(setting.from ?? FIRST_DAY);
  const { warmup } = programOf({
    strategy,
    params,
    period,
    securities: symbols.map((symbol) => ({ symbol })),
  });
  const history = symbols.map((symbol) => historyOf(stage, symbol, from, warmup));
  const ends = history.map(({ symbol, time }) => dayOf(marketOf(symbol), millis(time.at(-1) ?? 0)));
  const currency = currencyOf(symbols);
  return {
    config: 'situation',
    strategy,
    params,
    securities: symbols.map(securityOf),
    period,
    history,
    from,
    to: ends.toSorted().at(-1) ?? from,
    currency,
    cash: { [currency]: new Decimal(setting.cash ?? 100_000) },
    fx: {},
    limits: { ...wideLimits(currency), ...setting.limits },
    policy: { orderType: 'MO', offsetTicks: 0, cancelAfterMs: undefined },
    charges: CHARGE_SCHEDULES.none,
    margin: CASH_ACCOUNT,
    seed: 1,
  };
}

/** Returns flat bars until `from`, enough for the warm-up, followed by the moves. */
function historyOf(
  { period, setting, movesOf }: Stage,
  symbol: SecuritySymbol,
  from: CalendarDay,
  warmup: number,
): BarColumns {
  const price = setting.price ?? 100;
  const begin = barsBegin({ symbol }, from);
  const before: number[] = [];
  const stamps = stampsFrom(symbol, period, daysBefore(symbol, from, warmup + 1));
  let first = stamps.next();
  while (first.done !== true && first.value < begin) {
    before.push(first.value);
    first = stamps.next();
  }
  const still = { open: price, high: price, low: price, close: price, volume: 1_000_000_000 };
  const shapes = [...before.map(() => still), ...shapesOf(price, movesOf(symbol))];
  const all = stampsFrom(symbol, period, daysBefore(symbol, from, warmup + 1));
  return columnsOf({ symbol, period }, all, shapes);
}

/** Events of a run; `error` is what ended it early. */
export interface StageRun {
  readonly events: readonly SluiceEvent[];
  readonly record: RunRecord | undefined;
  readonly error: string | undefined;
  /** Orders without a size or price, one reason each. */
  readonly leftOut: readonly string[];
}

/** Runs a strategy through its moves in virtual time. */
export function runStage(stage: Stage): StageRun {
  const setup = stageSetup(stage);
  const trouble = stage.setting.trouble ?? {};
  const events: SluiceEvent[] = [];
  const leftOut: string[] = [];
  const watch = stormWatch(setup.strategy.name);
  const onEvent = (event: SluiceEvent): void => {
    events.push(event);
    watch(event);
  };
  const onAlarm = ({ code, message }: Alarm): void => {
    if (code === 'order-left-out') leftOut.push(message);
  };
  try {
    const record = runBacktest(setup, { ...hooksFor(trouble, setup.from), onEvent, onAlarm });
    return { events, record, error: undefined, leftOut };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    return { events, record: undefined, error, leftOut };
  }
}

/** Throws once a strategy has requested too many orders at one instant. */
function stormWatch(name: string): (event: SluiceEvent) => void {
  let [at, count] = [Number.NaN, 0];
  return (event) => {
    if (event.kind !== 'intent-drafted') return;
    count = event.at === at ? count + 1 : 1;
    at = event.at;
    if (count <= ORDERS_AT_ONCE_MAX) return;
    throw new RangeError(
      `Strategy "${name}" asked for more than ${ORDERS_AT_ONCE_MAX} orders at one instant`,
    );
  };
}

function securityOf(symbol: SecuritySymbol): Security {
  const market = marketOf(symbol);
  return {
    symbol,
    names: { en: symbol, zhCn: '', zhHk: '' },
    kind: 'stock',
    board: marketRecord(market)?.board('stock') ?? `${market}Main`,
    currency: marketRecord(market)?.currency ?? 'USD',
    lotSize: defaultLotSize(market),
    margin: defaultMargin({ market, kind: 'stock' }),
    tradable: true,
    origin: { kind: 'generated', seed: 0, method: 'a situation in a test' },
  };
}

function currencyOf(symbols: readonly SecuritySymbol[]): string {
  const currencies = new Set(symbols.map((symbol) => marketRecord(marketOf(symbol))?.currency ?? 'USD'));
  const [currency = 'USD'] = currencies;
  if (currencies.size > 1) {
    throw new TypeError(`Cannot put ${symbols.join(', ')} on one stage, want symbols of one currency`);
  }
  return currency;
}
