import type { BotState } from '../../events/bot-state.ts';
import type { SluiceEvent } from '../../events/event.ts';
import { openingStopped } from '../../events/records/gate-record.ts';
import { isOpenOrWaiting } from '../../events/records/open-orders.ts';
import { createStartFold } from '../../events/records/start-record.ts';
import { restore, snapshotIn } from '../../events/snapshot/state-snapshot.ts';
import { hoursAt } from '../../markets/day-hours.ts';
import { type CronFields, lastDue, nextDue } from '../../markets/schedule-times.ts';
import type { Alarm } from '../../model/notice.ts';
import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { MINUTE_MS, type Millis, NEVER } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { OperatorCommand, OperatorRequest } from '../../ports/operator.ts';

/** One time of a schedule, as written and as parsed. */
export interface ScheduledTime {
  readonly expression: string;
  readonly fields: CronFields;
}

/** Times at which a bot acts, in the time zone and on the trading days of each market that it trades. */
export interface Schedule {
  /** The bot may open positions from this time. */
  readonly start?: ScheduledTime;
  /** The bot opens no positions from this time; working orders remain. */
  readonly stop?: ScheduledTime;
  readonly flatten?: ScheduledTime;
  readonly cancelAll?: ScheduledTime;
}

export interface ScheduleParts {
  readonly schedule: Schedule;
  readonly symbols: readonly SecuritySymbol[];
  /** Market time. */
  readonly clock: Clock;
  /** Nothing is due after this instant; NEVER for a bot without an end. */
  readonly until: Millis;
  /**
   * With the machine's clock: calls `runDue` soon after each minute begins, until cancelled. If absent, `clock` wakes
   * the schedule at each time. Both give the same requests; a time missed by a minute is handled as after a restart.
   */
  readonly eachMinute?: (runDue: () => void) => Cancel;
  /**
   * Called once with an error of the schedule or of a request, which ends the schedule: node-cron would swallow it.
   * If absent, the error is thrown to the clock.
   */
  readonly fail?: (error: unknown) => void;
  /** Returns the state that earlier runs left, once the journal was read; absent without an earlier run. */
  readonly earlierRuns?: () => EarlierRuns;
  /** Receives an alarm for a missed time that cannot be made up for. */
  readonly onAlarm?: ((alarm: Alarm) => void) | undefined;
}

export interface EarlierRuns {
  readonly state: BotState;
  readonly schedules: EarlierSchedules;
}

/** What earlier runs did with their schedules, by the records of the journal. */
export interface EarlierSchedules {
  /** True if a run was up when a flatten or cancel of a symbol was due, and did not carry it out. */
  missed(name: Cleanup, symbol: SecuritySymbol, at: Millis): boolean;
}

/** Reads what earlier runs did with their schedules from the records of a replay. */
export function createEarlierSchedules() {
  const { record, apply } = createStartFold();

  function replayed(event: SluiceEvent): void {
    // A journal that continues another one begins with what that one had.
    if (event.kind === 'journal-carried') restore(record, snapshotIn(event).known.starts);
    else apply(event);
  }

  function missed(name: Cleanup, symbol: SecuritySymbol, at: Millis): boolean {
    const { ranFrom, ranUntil, cleanups } = record;
    if (ranFrom === undefined || ranUntil === undefined || ranFrom > at) return false;
    const command = commandOf(name, [symbol]).kind;
    const executedAt = cleanups.get(`${command} ${symbol}`);
    // A run that ends within the minute may not have got to it.
    return (executedAt === undefined || executedAt < at) && ranUntil < at + LATE_MS;
  }

  return { replayed, missed };
}

/** In the order of requests at one instant: a stop and a start leave opening stopped. */
const NAMES = ['start', 'stop', 'flatten', 'cancelAll'] as const;
/** What a run requests at its start comes before the times of that instant. */
const AT_START = -1;
type Name = (typeof NAMES)[number];
type Cleanup = 'flatten' | 'cancelAll';

/** An action that is due; `order` ranks those of one instant. */
interface PendingAction {
  readonly at: Millis;
  readonly order: number;
  readonly action: () => void;
}

/** A time missed by at least this was missed by a suspended machine; less is a minute that began late. */
const LATE_MS = MINUTE_MS;

/**
 * Issues an operator request at each scheduled time, until cancelled. A run that begins outside the hours of a market
 * requests a stop at once; one that begins within them, after an earlier run left opening stopped, requests a start.
 * A flatten or cancel missed while the bot was down or its machine suspended is made up for until its session ends,
 * and is an alarm after that. A start or stop missed by a suspended machine counts if it is still the newer of the
 * two.
 */
export function startSchedule(
  { schedule, symbols, clock, until, eachMinute, fail, earlierRuns, onAlarm }: ScheduleParts,
  request: (request: OperatorRequest) => void,
): Cancel {
  const timers = new Set<Cancel>();
  const waiting = new Set<PendingAction>();
  let isOver = false;
  let stopTicking: Cancel = () => undefined;
  const end = (): void => {
    isOver = true;
    stopTicking();
    waiting.clear();
    for (const cancel of timers) cancel();
    timers.clear();
  };
  const guarded = (action: () => void): void => {
    if (isOver) return;
    try {
      action();
    } catch (error) {
      end();
      if (fail === undefined) throw error;
      fail(error);
    }
  };
  const scheduleAt = (at: Millis, order: number, action: () => void): void => {
    if (isOver || at > until || at === NEVER) return;
    waiting.add({ at, order, action });
    if (eachMinute !== undefined && at > clock.now()) return;
    const cancel = clock.at(at, 'timer', () => {
      timers.delete(cancel);
      runDue();
    });
    timers.add(cancel);
  };
  const runDue = (): void => {
    const now = clock.now();
    const due = [...waiting].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at || a.order - b.order);
    for (const each of due) {
      waiting.delete(each);
      guarded(each.action);
    }
  };
  if (eachMinute !== undefined) stopTicking = eachMinute(() => guarded(runDue));
  for (const [market, own] of byMarket(symbols)) {
    const issue = (name: Name, time: ScheduledTime | undefined, why: string): void =>
      request({
        command: commandOf(name, own),
        by: 'schedule',
        reason: `${why} ${market}${time === undefined ? '' : `, "${time.expression}"`}`,
      });
    const { start } = schedule;
    const now = clock.now();
    const isWithin = isWithinHours(schedule, market, now);
    if (isWithin === false)
      scheduleAt(now, AT_START, () => issue('stop', start, 'begins outside its hours in'));
    else if (isWithin && earlierRuns !== undefined)
      scheduleAt(now, AT_START, () => {
        if (openingStopped(earlierRuns().state.gate, market) !== undefined)
          issue('start', start, 'begins within its hours in');
      });
    const issueMissed = (name: Name, time: ScheduledTime): void =>
      issue(name, time, `makes up for a missed ${name} in`);
    /**
     * Makes up for a missed cleanup within its session, or raises an alarm after it; does nothing if no position or
     * order remains.
     */
    const cleanUpLate = (missed: MissedTime, state: BotState, why: string): void => {
      const remaining = remainingOf(missed, own, state);
      if (remaining.length === 0) return;
      const at = clock.now();
      if (at < missed.sessionEnd) issueMissed(missed.name, missed.time);
      else onAlarm?.(missedAlarm(missed, market, at, { remaining, why }));
    };
    if (earlierRuns !== undefined)
      scheduleAt(now, AT_START, () => {
        for (const missed of missedTimes(schedule, { market, symbols: own }, now, earlierRuns().schedules))
          cleanUpLate(missed, earlierRuns().state, 'The bot was down');
      });
    const executeLate = (name: Name, time: ScheduledTime, at: Millis, { state }: EarlierRuns): void => {
      if (name === 'flatten' || name === 'cancelAll')
        cleanUpLate(
          missedTime(name, time, market, at),
          state,
          'The machine of the bot was asleep, or too busy,',
        );
      else if ((isWithinHours(schedule, market, clock.now()) !== false) === (name === 'start'))
        issueMissed(name, time);
    };
    for (const [order, name] of NAMES.entries()) {
      const time = schedule[name];
      if (time === undefined) continue;
      const arm = (after: Millis): void => {
        const at = nextDue(time.fields, market, after);
        scheduleAt(at, order, () => {
          // The machine may have been suspended: of several past times, the newest counts.
          const newest = lastDue(time.fields, market, clock.now()) ?? at;
          const isLate = eachMinute !== undefined && clock.now() - newest >= LATE_MS;
          if (isLate && earlierRuns !== undefined) executeLate(name, time, newest, earlierRuns());
          else issue(name, time, `${name} of`);
          arm(newest);
        });
      };
      arm(now);
    }
  }
  return end;
}

/** Whether a market is within its scheduled hours at an instant; undefined with a `stop` but no `start`. */
function isWithinHours({ start, stop }: Schedule, market: Market, now: Millis): boolean | undefined {
  if (start === undefined) return stop === undefined ? true : undefined;
  const started = lastDue(start.fields, market, now);
  // Without a stop, the hours last until the day ends.
  const stopped = stop === undefined ? hoursAt(market, now).midnight - 1 : lastDue(stop.fields, market, now);
  return started !== undefined && (stopped === undefined || started > stopped);
}

interface MissedTime {
  readonly name: Cleanup;
  readonly time: ScheduledTime;
  readonly at: Millis;
  /** End of the regular sessions of its day, epoch milliseconds. */
  readonly sessionEnd: number;
}

function missedTimes(
  schedule: Schedule,
  { market, symbols }: { readonly market: Market; readonly symbols: readonly SecuritySymbol[] },
  now: Millis,
  earlier: EarlierSchedules,
): readonly MissedTime[] {
  return (['flatten', 'cancelAll'] as const).flatMap((name) => {
    const time = schedule[name];
    const at = time === undefined ? undefined : lastDue(time.fields, market, now);
    if (time === undefined || at === undefined) return [];
    if (!symbols.some((symbol) => earlier.missed(name, symbol, at))) return [];
    return [missedTime(name, time, market, at)];
  });
}

function missedTime(name: Cleanup, time: ScheduledTime, market: Market, at: Millis): MissedTime {
  return { name, time, at, sessionEnd: hoursAt(market, at).regular.at(-1)?.close ?? at };
}

/** Lists the positions and orders that a missed cleanup should have ended, as text. */
function remainingOf(
  { name }: MissedTime,
  symbols: readonly SecuritySymbol[],
  { portfolio, live }: BotState,
): readonly string[] {
  const orders = [...live.values()]
    .filter((order) => symbols.includes(order.terms.symbol) && isOpenOrWaiting(order))
    .map(({ intentId, terms }) => `order ${intentId} of ${terms.symbol}`);
  const positions = symbols.flatMap((symbol) => {
    const quantity = portfolio.holdings.get(symbol)?.quantity;
    return quantity === undefined || quantity.isZero() ? [] : [`${quantity} ${symbol}`];
  });
  return name === 'flatten' ? [...positions, ...orders] : orders;
}

function missedAlarm(
  { name, time, at }: MissedTime,
  market: Market,
  now: Millis,
  { remaining, why }: { readonly remaining: readonly string[]; readonly why: string },
): Alarm {
  const due = new Date(at).toISOString().slice(0, 16);
  return {
    code: 'schedule-missed',
    message: `${why} at ${due}Z, the time of "${name}" of ${market} ("${time.expression}"), and that session is over. Left as they are: ${remaining.join(', ')}. Close and cancel them on the page of the bot ("sluice ui"), unless they are to stay`,
    at: now,
    facts: { name, market, due: `${due}Z` },
  };
}

function byMarket(symbols: readonly SecuritySymbol[]): ReadonlyMap<Market, readonly SecuritySymbol[]> {
  const markets = new Map<Market, SecuritySymbol[]>();
  for (const symbol of symbols) {
    const market = marketOf(symbol);
    markets.set(market, [...(markets.get(market) ?? []), symbol]);
  }
  return markets;
}

/** Returns the command of a scheduled action for the symbols of one market. */
function commandOf(name: Name, symbols: readonly SecuritySymbol[]): OperatorCommand {
  switch (name) {
    case 'start':
      return { kind: 'start-opening', symbols };
    case 'stop':
      return { kind: 'stop-opening', symbols };
    case 'flatten':
      return { kind: 'flatten', symbols };
    case 'cancelAll':
      return { kind: 'cancel-all', symbols };
  }
}
