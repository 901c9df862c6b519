import { Observable } from 'rxjs';
import { barSpan } from '../markets/bar-span.ts';
import { type CronFields, isOutermostTradingDay, nextDue } from '../markets/schedule-times.ts';
import { nextOpen } from '../markets/sessions.ts';
import { type Market, marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis, NEVER } from '../model/time.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { MarketBatch } from '../ports/signal-source.ts';
import type { TimerEvent } from '../strategy/strategy-event.ts';
import { readTimeOfDay, type TimerDay, type Timers, type TimerTerms } from '../strategy/timers.ts';

/** Inputs of a strategy's timers. */
interface TimerParts {
  readonly timers: Timers;
  /** Symbols that the strategy trades, in the config's order. */
  readonly symbols: readonly SecuritySymbol[];
  /** Market time. */
  readonly clock: Clock;
  /** No timer fires after this time; NEVER for a bot without an end. */
  readonly until: Millis;
}

/**
 * Emits when timers of the strategy are due, in phase `timer`: bars that close at that time are visible. Each timer
 * fires for every market separately; at one time, markets come in the config's order and timers as declared. If
 * several times of one timer passed while the machine slept, only the newest fires.
 */
export function timerBatches({ timers, symbols, clock, until }: TimerParts): Observable<MarketBatch> {
  return new Observable((subscriber) => {
    const queues = timerQueues(timers, symbols, clock.now());
    let cancel: Cancel | undefined;
    const scheduleNext = (): void => {
      const at = millis(Math.min(NEVER, ...queues.map(({ due }) => due)));
      if (at === NEVER || at > until) {
        subscriber.complete();
        return;
      }
      cancel = clock.at(at, 'timer', () => {
        const dueQueues = queues.filter(({ due }) => due === at);
        for (const queue of dueQueues) queue.due = queue.next(at);
        const reached = Math.min(clock.now(), until);
        const events = dueQueues
          .filter(({ due }) => due > reached)
          .map(({ event }) => ({ ...event, time: at }));
        if (events.length > 0) subscriber.next({ time: at, marks: [], events });
        if (!subscriber.closed) scheduleNext();
      });
    };
    scheduleNext();
    return () => cancel?.();
  });
}

/** One timer of one market. */
export interface TimerQueue {
  readonly event: Omit<TimerEvent, 'time'>;
  readonly next: (after: Millis) => Millis;
  due: Millis;
}

/** Every timer of each market, with its first time after `after`. */
export function timerQueues(
  timers: Timers,
  symbols: readonly SecuritySymbol[],
  now: Millis,
): readonly TimerQueue[] {
  return [...Map.groupBy(symbols, marketOf)].flatMap(([market, own]) =>
    Object.entries(timers).map(([name, terms]): TimerQueue => {
      const next = nextOf(terms, market);
      return { event: { kind: 'timer', name, market, symbols: own }, next, due: next(now) };
    }),
  );
}

function nextOf(terms: TimerTerms, market: Market): (after: Millis) => Millis {
  if ('every' in terms) {
    const { every } = terms;
    return (after) => {
      const running = barSpan(market, every, after);
      return running?.close ?? barSpan(market, every, nextOpen(market, after))?.close ?? NEVER;
    };
  }
  const time = readTimeOfDay(terms.at);
  if (time === undefined)
    throw new RangeError(`Cannot set a timer at "${terms.at}": want a time such as 15:45`);
  const fields: CronFields = { ...EVERY_DAY, minutes: [time.minute], hours: [time.hour] };
  const { on } = terms;
  if (on === undefined) return (after) => nextDue(fields, market, after);
  const rule = DAY_RULES[on];
  return (after) => nextDue(fields, market, after, (day) => isOutermostTradingDay(market, day, rule));
}

const DAY_RULES = {
  'week-start': { of: 'week', towards: -1 },
  'week-end': { of: 'week', towards: 1 },
  'month-start': { of: 'month', towards: -1 },
  'month-end': { of: 'month', towards: 1 },
} as const satisfies Readonly<Record<TimerDay, object>>;

const upTo = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

const EVERY_DAY = { daysOfMonth: upTo(1, 31), months: upTo(1, 12), weekdays: upTo(0, 6) };
