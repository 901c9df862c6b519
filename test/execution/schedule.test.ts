import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { openingStopped } from '#src/events/records/gate-record.ts';
import { type Schedule, startSchedule } from '#src/execution/operator/schedule.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { marketOf, securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS, millis } from '#src/model/time.ts';
import type { Journal } from '#src/ports/journal.ts';
import { every } from '#src/signals/cross.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { fillsOf, setupOf } from '../fixtures/backtest.ts';
import { createEngineRig, type EngineRig } from '../fixtures/engine-rig.ts';
import type { FakeVenue } from '../fixtures/fake-venue.ts';
import { AAPL, at, type BarRow, columnsOf } from '../fixtures/market.ts';
import { readTimeOf } from '../fixtures/schedule.ts';
import { snapshotOf } from '../fixtures/some-carried.ts';
import { runTo, settle } from '../fixtures/time.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

/** Targets 100 at every close, in minute bars at 10. */
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
  it('opens nothing before its start, in a backtest and live', () => {
    const { fills, said } = run({ start: readTimeOf('33 9 * * 1-5'), stop: readTimeOf('0 15 * * 1-5') });
    expect(fills).toEqual(['14:34 buy 100 at 10']);
    expect(said).toEqual(['stop-opening by schedule', 'start-opening by schedule']);
  });

  it('closes positions at the time to be flat, and stays flat when it has stopped', () => {
    const { fills } = run({ stop: readTimeOf('32 9 * * 1-5'), flatten: readTimeOf('33 9 * * 1-5') });
    expect(fills).toEqual(['14:31 buy 100 at 10', '14:33 sell 100 at 10']);
  });
});

describe('a schedule of a bot that starts again', () => {
  const HOURS: Schedule = { start: readTimeOf('0 10 * * 1-5'), stop: readTimeOf('50 15 * * 1-5') };
  const TENCENT = securitySymbol('700.HK');

  const alarms: string[] = [];

  /** A bot that orders 100 of each symbol at every quote, started on a journal at an instant. */
  function startBot(
    time: string,
    schedule = HOURS,
    journal: Journal = createMemoryJournal(),
    { minted = 0, symbols = [AAPL, TENCENT], venue = (_: FakeVenue): void => undefined } = {},
  ) {
    const rig = createEngineRig({
      ...{ symbols, journal, minted },
      lease: { epoch: minted + 1, version: '1.0.0', configHash: '', machineAt: at(time) },
      strategy: {
        onQuote: (_quote, { orders }) =>
          symbols.map((symbol) => orders.buy(symbol, 100, { type: 'LO', price: 9 })),
      },
    });
    rig.clock.moveTo(at(time));
    venue(rig.venue);
    const { clock, engine } = rig;
    const until = millis(at(time) + 3 * 86_400_000);
    const left = () => ({ state: engine.state, schedules: engine.earlierSchedules });
    const onAlarm = ({ message }: Alarm) => alarms.push(message);
    startSchedule({ schedule, symbols, clock, until, earlierRuns: left, onAlarm }, ({ command, reason }) =>
      rig.command(command, reason, 'schedule'),
    );
    rig.start();
    settle(clock);
    if (rig.status() !== 'running') throw rig.error();
    return rig;
  }

  /** Symbols that a quote opens now, and those in which the schedule denies it. */
  function opens(rig: EngineRig) {
    const before = [...rig.journal.replay()].length;
    rig.quote(10);
    const events = [...rig.journal.replay()].slice(before);
    const symbolOf = new Map(
      events.flatMap((event) =>
        event.kind === 'intent-drafted' ? [[event.intentId, event.terms.symbol]] : [],
      ),
    );
    const stopped = events.flatMap((event) =>
      event.kind === 'intent-denied' && event.rule === 'opening-stopped'
        ? [symbolOf.get(event.intentId)]
        : [],
    );
    return { stopped, sent: rig.venue.calls.filter((call) => call.startsWith('submit')).length };
  }

  it('opens in the market that is within its hours, and in no other', () => {
    const inNewYork = startBot('2025-11-25T11:00:00-05:00');
    expect(opens(inNewYork)).toMatchObject({ stopped: [TENCENT] });
    expect(openingStopped(inNewYork.engine.state.gate, marketOf(AAPL))).toBeUndefined();
    expect(opens(startBot('2025-11-25T11:00:00+08:00'))).toMatchObject({ stopped: [AAPL] });
    expect(opens(startBot('2025-11-25T17:00:00+08:00'))).toMatchObject({ stopped: [AAPL, TENCENT] });
  });

  it('stops and starts each market by itself while it runs', () => {
    const rig = startBot('2025-11-25T11:00:00+08:00');
    runTo(rig.clock, at('2025-11-25T15:51:00+08:00'));
    expect(opens(rig).stopped).toEqual([AAPL, TENCENT]);
    runTo(rig.clock, at('2025-11-25T10:01:00-05:00'));
    expect(opens(rig).stopped).toEqual([TENCENT]);
    runTo(rig.clock, at('2025-11-26T10:01:00+08:00'));
    expect(opens(rig).stopped).toEqual([AAPL]);
  });

  it('opens again within its hours although it was down at its start', () => {
    const journal = createMemoryJournal();
    const first = startBot('2025-11-25T11:00:00-05:00', HOURS, journal);
    runTo(first.clock, at('2025-11-25T15:51:00-05:00'));
    expect(opens(first).stopped).toEqual([AAPL, TENCENT]);
    first.stop();
    const again = startBot('2025-11-26T11:00:00-05:00', HOURS, journal, { minted: 10 });
    expect(opens(again).stopped).toEqual([TENCENT]);
  });

  it('opens again without a schedule, or one whose start has passed, although it was stopped with one', () => {
    for (const schedule of [{}, { start: readTimeOf('0 10 * * 1-5') }]) {
      const journal = createMemoryJournal();
      const first = startBot('2025-11-25T08:00:00-05:00', HOURS, journal);
      expect(opens(first).stopped).toEqual([AAPL, TENCENT]);
      first.stop();
      const again = startBot('2025-11-26T11:00:00-05:00', schedule, journal, { minted: 10 });
      expect(opens(again).stopped).not.toContain(AAPL);
    }
  });

  const CLEANUP: Schedule = { flatten: readTimeOf('55 15 * * 1-5'), cancelAll: readTimeOf('45 15 * * 1-5') };

  /**
   * The journal of a bot that was stopped at an instant, with 50 of 100 AAPL.US bought and the order for the rest
   * open.
   */
  function stoppedAt(time: string, schedule = CLEANUP): Journal {
    const journal = createMemoryJournal();
    const first = startBot('2025-11-25T11:00:00-05:00', schedule, journal, { symbols: [AAPL] });
    first.quote(10);
    first.venue.execute('O-I1', { id: 'e1', quantity: '50', price: '9' });
    first.venue.push('O-I1');
    runTo(first.clock, at(time));
    first.stop();
    return journal;
  }

  /** Commands of the schedule when a bot starts on a journal, and its alarms. */
  function commandsAt(time: string, journal: Journal) {
    alarms.length = 0;
    const before = [...journal.replay()].length;
    const { clock } = startBot(time, CLEANUP, journal, {
      ...{ minted: 10, symbols: [AAPL] },
      venue: (venue) => {
        const bought = new Set<SluiceEvent['kind']>(['order-filled', 'journal-carried']);
        if (![...journal.replay()].some(({ kind }) => bought.has(kind))) return;
        venue.list('O-I1', { executedQuantity: decimal('50'), status: 'PartialFilledStatus' });
        venue.hold({ AAPL: '50' }, '9550');
      },
    });
    settle(clock);
    const commands = [...journal.replay()]
      .slice(before)
      .flatMap((event) => (event.kind === 'operator-commanded' ? [`${event.command}: ${event.reason}`] : []));
    return { commands, alarms: [...alarms] };
  }

  it('makes up for a flatten that it missed while its session lasts', () => {
    expect(commandsAt('2025-11-25T15:57:00-05:00', stoppedAt('2025-11-25T15:40:00-05:00'))).toEqual({
      commands: [
        'flatten: makes up for a missed flatten in US, "55 15 * * 1-5"',
        'cancel-all: makes up for a missed cancelAll in US, "45 15 * * 1-5"',
      ],
      alarms: [],
    });
  });

  /** A start whose broker does not answer, a minute after the flatten was due. */
  function startFails(journal: Journal): void {
    const failed = createEngineRig({
      ...{ journal, symbols: [AAPL] },
      lease: { epoch: 2, version: '1.0.0', configHash: '', machineAt: at('2025-11-25T15:56:00-05:00') },
    });
    failed.clock.moveTo(at('2025-11-25T15:56:00-05:00'));
    failed.venue.answers.silent.add('balance');
    failed.start();
    runTo(failed.clock, at('2025-11-25T15:56:40-05:00'));
    expect(failed.status()).toContain('Cannot start: ');
  }

  /** The journal after the next start moved its records to an archive. */
  function archived(journal: Journal): Journal {
    const next = createMemoryJournal();
    next.append(snapshotOf(journal.replay()));
    return next;
  }

  it.each([
    ['', (journal: Journal) => journal],
    [' and the next one archived its records', archived],
    [' and two archived its records', (journal: Journal) => archived(archived(journal))],
  ])('makes up for a flatten that it missed although a later start failed%s', (_, then) => {
    const journal = stoppedAt('2025-11-25T15:40:00-05:00');
    startFails(journal);
    expect(commandsAt('2025-11-25T15:57:00-05:00', then(journal)).commands).toContain(
      'flatten: makes up for a missed flatten in US, "55 15 * * 1-5"',
    );
  });

  it('does not repeat a flatten of the minute in which it ended after its records were archived', () => {
    const journal = stoppedAt('2025-11-25T15:55:30-05:00');
    startFails(journal);
    expect(commandsAt('2025-11-25T15:57:00-05:00', archived(journal)).commands).toEqual([]);
  });

  it('makes up for a flatten whose minute had begun when the bot ended, if it was not carried out', () => {
    const unaware = stoppedAt('2025-11-25T15:55:30-05:00', {});
    expect(commandsAt('2025-11-25T15:57:00-05:00', unaware).commands).toContain(
      'flatten: makes up for a missed flatten in US, "55 15 * * 1-5"',
    );
    const carriedOut = stoppedAt('2025-11-25T15:55:30-05:00');
    expect(commandsAt('2025-11-25T15:57:00-05:00', carriedOut).commands).toEqual([]);
  });

  it('raises an alarm for a flatten that it missed and whose session is over', () => {
    const { commands, alarms: raised } = commandsAt(
      '2025-11-26T09:00:00-05:00',
      stoppedAt('2025-11-25T15:40:00-05:00'),
    );
    expect(commands).toEqual([]);
    expect(raised).toHaveLength(2);
    expect(raised.join()).toContain(
      'The bot was down at 2025-11-25T20:55Z, the time of "flatten" of US ("55 15 * * 1-5"), and that session is over. Left as they are: 50 AAPL.US, order I1 of AAPL.US. Close and cancel them on the page of the bot ("sluice ui"), unless they are to stay',
    );
  });

  it('neither repeats a flatten nor raises an alarm if it ran at the time, or holds nothing', () => {
    const nothing = { commands: [], alarms: [] };
    expect(commandsAt('2025-11-25T15:54:00-05:00', stoppedAt('2025-11-25T15:50:00-05:00'))).toEqual(nothing);
    expect(commandsAt('2025-11-25T15:57:00-05:00', stoppedAt('2025-11-25T15:56:00-05:00'))).toEqual(nothing);
    expect(commandsAt('2025-11-25T15:57:00-05:00', createMemoryJournal())).toEqual(nothing);
    const journal = createMemoryJournal();
    startBot('2025-11-25T11:00:00-05:00', CLEANUP, journal).stop();
    expect(commandsAt('2025-11-25T15:57:00-05:00', journal)).toEqual(nothing);
  });

  it('opens again after an earlier version stopped the whole bot', () => {
    const journal = createMemoryJournal();
    const first = startBot('2025-11-25T11:00:00-05:00', {}, journal);
    first.command({ kind: 'stop-opening' });
    expect(opens(first).stopped).toEqual([AAPL, TENCENT]);
    first.stop();
    const again = startBot('2025-11-26T11:00:00-05:00', HOURS, journal, { minted: 10 });
    expect(opens(again).stopped).toEqual([TENCENT]);
  });
});

describe('a schedule of a machine that slept', () => {
  const SCHEDULE: Schedule = {
    start: readTimeOf('0 10 * * 1-5'),
    stop: readTimeOf('50 15 * * 1-5'),
    flatten: readTimeOf('55 15 * * 1-5'),
  };

  /**
   * A bot with 50 AAPL.US at one instant, whose machine sleeps until another: its commands from then on, and its
   * alarms.
   */
  function wakesAt(
    time: string,
    { asleepAt = '2025-11-25T15:40:00-05:00', schedule = SCHEDULE, bought = '50' } = {},
  ) {
    const rig = createEngineRig({ symbols: [AAPL], strategy: {} });
    const { clock, engine, journal } = rig;
    rig.venue.hold({ AAPL: bought }, '9550');
    clock.moveTo(at('2025-11-25T09:00:00-05:00'));
    const raised: string[] = [];
    let minute = (): void => undefined;
    startSchedule(
      {
        ...{ schedule, symbols: [AAPL], clock, until: millis(at(time) + 3 * 86_400_000) },
        eachMinute: (look) => {
          minute = look;
          return () => undefined;
        },
        earlierRuns: () => ({ state: engine.state, schedules: engine.earlierSchedules }),
        onAlarm: ({ code, message }) => raised.push(`${code}: ${message}`),
      },
      ({ command, reason }) => rig.command(command, reason, 'schedule'),
    );
    rig.start();
    const look = (until: string): void => {
      clock.moveTo(at(until));
      minute();
      settle(clock);
      if (rig.status() !== 'running') throw rig.error();
    };
    settle(clock);
    for (let now: number = clock.now(); now <= at(asleepAt); now += MINUTE_MS)
      look(new Date(now).toISOString());
    const before = [...journal.replay()].length;
    look(time);
    const commands = [...journal.replay()]
      .slice(before)
      .flatMap((event) => (event.kind === 'operator-commanded' ? [`${event.command}: ${event.reason}`] : []));
    return { commands, raised, stopped: openingStopped(engine.state.gate, marketOf(AAPL)) !== undefined };
  }

  it('makes up for a stop and a flatten within their session', () => {
    expect(wakesAt('2025-11-25T15:58:30-05:00')).toEqual({
      commands: [
        'stop-opening: makes up for a missed stop in US, "50 15 * * 1-5"',
        'flatten: makes up for a missed flatten in US, "55 15 * * 1-5"',
      ],
      ...{ raised: [], stopped: true },
    });
  });

  it.each([
    ['in the evening', '2025-11-25T20:00:00-05:00'],
    ['on the next morning, before the market opens', '2025-11-26T08:00:00-05:00'],
  ])('stops, keeps the position and raises an alarm if it wakes %s', (_, time) => {
    const { commands, raised, stopped } = wakesAt(time);
    expect(commands).toEqual(['stop-opening: makes up for a missed stop in US, "50 15 * * 1-5"']);
    expect(stopped).toBe(true);
    expect(raised).toEqual([
      'schedule-missed: The machine of the bot was asleep, or too busy, at 2025-11-25T20:55Z, the time of "flatten" of US ("55 15 * * 1-5"), and that session is over. Left as they are: 50 AAPL.US. Close and cancel them on the page of the bot ("sluice ui"), unless they are to stay',
    ]);
  });

  it('opens, and flattens nothing, if it wakes in the hours of the next session', () => {
    const { commands, raised, stopped } = wakesAt('2025-11-26T11:00:00-05:00');
    expect(commands).toEqual(['start-opening: makes up for a missed start in US, "0 10 * * 1-5"']);
    expect([stopped, raised.length]).toEqual([false, 1]);
  });

  it('makes up once for the newest of several flattens', () => {
    const { commands, raised } = wakesAt('2025-11-26T15:57:30-05:00');
    expect(commands).toEqual([
      'stop-opening: makes up for a missed stop in US, "50 15 * * 1-5"',
      'flatten: makes up for a missed flatten in US, "55 15 * * 1-5"',
    ]);
    expect(raised).toEqual([]);
  });

  it('carries out a flatten after its session if it is late by seconds only', () => {
    const schedule = { flatten: readTimeOf('30 16 * * 1-5') };
    const { commands } = wakesAt('2025-11-25T16:30:59-05:00', {
      ...{ schedule, asleepAt: '2025-11-25T16:29:00-05:00' },
    });
    expect(commands).toEqual(['flatten: flatten of US, "30 16 * * 1-5"']);
  });

  it('raises no alarm without positions', () => {
    expect(wakesAt('2025-11-25T20:00:00-05:00', { bought: '0' }).raised).toEqual([]);
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

  /** Requests in the days around a holiday and a half day, each with its minute. */
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
    return heard;
  }

  it('stops last if a start and a stop are due at one instant, in any order', () => {
    const schedule = { start: readTimeOf('0 10,15 * * 1-5'), stop: readTimeOf('0 15 * * 1-5') };
    for (const jitters of [undefined, [0]]) {
      const commands = requestsOf(schedule, jitters).filter((each) => each.includes('US'));
      expect(commands.at(-1)).toContain('stop-opening');
      expect(commands.filter((each) => each.startsWith(`${15 * 60} `))).toEqual([
        '900 start-opening start of US, "0 10,15 * * 1-5"',
        '900 stop-opening stop of US, "0 15 * * 1-5"',
      ]);
    }
  });

  /** A schedule whose every request fails, and its clock. */
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

  it('passes on an error that the library of the minutes would swallow', () => {
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

  it('makes the same requests in the same minutes as virtual time', () => {
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
