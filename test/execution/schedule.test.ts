import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { type Schedule, startSchedule } from '#src/execution/operator/schedule.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS, millis } from '#src/model/time.ts';
import { every } from '#src/signals/cross.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { fillsOf, setupOf } from '../fixtures/backtest.ts';
import { AAPL, at, type BarRow, columnsOf } from '../fixtures/market.ts';
import { readTimeOf } from '../fixtures/schedule.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

/** Wants 100 at every close, in minute bars at 10. */
const holds = defineStrategy({
  name: 'holds',
  params: {},
  signals: ({ bars }) => ({ bar: every(bars) }),
  onSignal: ({ symbol }, { orders }) => orders.targetQuantity(symbol, 100),
});

function run(schedule: Schedule, bars = 6) {
  const history = columnsOf(
    AAPL,
    '1m',
    Array.from({ length: bars }, (_, index): BarRow => [OPEN + index * 60_000, 10, 10, 10, 10]),
  );
  const journal = createMemoryJournal();
  const record = runBacktest(setupOf(holds, [history], { schedule }), { journal });
  return {
    fills: fillsOf(record).map((fill) => fill.slice(6, -7)),
    said: [...journal.replay()].flatMap((event) =>
      event.kind === 'operator-commanded' && event.at <= OPEN + 600_000
        ? [`${event.command} by ${event.by}`]
        : [],
    ),
    denied: record.flow.denied,
  };
}

describe('a schedule', () => {
  it('opens nothing before its start, in a backtest as live', () => {
    const { fills, said } = run({ start: readTimeOf('33 9 * * 1-5'), stop: readTimeOf('0 15 * * 1-5') });
    expect(fills).toEqual(['14:34 buy 100 at 10']);
    expect(said).toEqual(['stop-opening by schedule', 'start-opening by schedule']);
  });

  it('closes positions at the time to be flat, and stays flat when it has stopped', () => {
    const { fills } = run({ stop: readTimeOf('32 9 * * 1-5'), flatten: readTimeOf('33 9 * * 1-5') });
    expect(fills).toEqual(['14:31 buy 100 at 10', '14:33 sell 100 at 10']);
  });
});

describe('a schedule by the minutes of the machine', () => {
  const start = at('2024-11-27T00:00:00-05:00');
  const DAYS = 5;
  const minute = fc.integer({ min: 0, max: 59 });
  const hour = fc.integer({ min: 0, max: 23 });
  const expression = fc
    .tuple(minute, hour, fc.constantFrom('*', '1-5', '1,3', '5'), fc.boolean())
    .map(([m, h, days, often]) => (often ? `*/${m + 1} ${h} * * ${days}` : `${m} ${h} * * ${days}`));

  /** What is requested in the days around a holiday and a half day, and in which minute. */
  function requestsOf(schedule: Schedule, jitters: readonly number[] | undefined): readonly string[] {
    const clock = new VirtualClock(start);
    const until = millis(start + DAYS * 86_400_000);
    let minute = (): void => undefined;
    const eachMinute = (look: () => void) => {
      minute = look;
      return () => undefined;
    };
    const heard: string[] = [];
    startSchedule(
      {
        ...{ schedule, clock, until },
        symbols: [securitySymbol('AAPL.US'), securitySymbol('700.HK')],
        ...(jitters === undefined ? {} : { eachMinute }),
      },
      ({ command, reason }) =>
        heard.push(`${Math.floor((clock.now() - start) / MINUTE_MS)} ${command.kind} ${reason}`),
    );
    for (let at: number = start; at < until; at += MINUTE_MS) {
      while (clock.nextAt() <= at) clock.fireNext();
      if (jitters === undefined) continue;
      clock.moveTo(millis(at + (jitters[(at / MINUTE_MS) % jitters.length] ?? 0)));
      minute();
    }
    return heard.toSorted();
  }

  /** A schedule of which each request fails, and its clock. */
  function failing(eachMinute?: (look: () => void) => () => void) {
    const clock = new VirtualClock(start);
    const errors: unknown[] = [];
    const requests: string[] = [];
    const parts = {
      ...{ schedule: { flatten: readTimeOf('0 10 * * *') }, clock, until: millis(start + DAYS * 86_400_000) },
      symbols: [AAPL],
    };
    startSchedule(
      { ...parts, fail: (error) => errors.push(error), ...(eachMinute === undefined ? {} : { eachMinute }) },
      ({ reason }) => {
        requests.push(reason);
        throw new Error('the journal is full');
      },
    );
    return { clock, errors, requests };
  }

  it('ends with the first error, which reaches the run, and leaves no timer', () => {
    const { clock, errors, requests } = failing();
    while (clock.nextAt() < start + 86_400_000) clock.fireNext();
    expect([String(errors), requests.length]).toEqual(['Error: the journal is full', 1]);
    expect(clock.nextAt()).toBe(Number.POSITIVE_INFINITY);
  });

  it('hands an error to the run that the library of the minutes would swallow', () => {
    let look = (): void => undefined;
    let isLooking = true;
    const { clock, errors, requests } = failing((given) => {
      look = given;
      return () => {
        isLooking = false;
      };
    });
    for (const hours of [12, 36]) {
      clock.moveTo(millis(start + hours * 3_600_000));
      expect(look).not.toThrow();
    }
    expect([String(errors), requests.length, isLooking]).toEqual(['Error: the journal is full', 1, false]);
  });

  it('asks for the same in the same minutes as virtual time', () => {
    fc.assert(
      fc.property(
        fc.record({ start: expression, stop: expression, flatten: expression }),
        fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 20 }),
        (written, jitters) => {
          const schedule = Object.fromEntries(
            Object.entries(written).map(([name, text]) => [name, readTimeOf(text)]),
          );
          const virtual = requestsOf(schedule, undefined);
          expect(requestsOf(schedule, jitters)).toEqual(virtual);
        },
      ),
      { numRuns: 30 },
    );
  });
});
