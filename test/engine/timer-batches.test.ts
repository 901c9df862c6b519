import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { timerBatches } from '#src/engine/timer-batches.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { type Millis, millis } from '#src/model/time.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { TimerDay, Timers } from '#src/strategy/timers.ts';

const AAPL = securitySymbol('AAPL.US');
const DEMO = securitySymbol('700.HK');
const at = (text: string): Millis => millis(Date.parse(text));

/** Timers that fire from one instant up to another, as "2024-01-03T14:45Z look US". */
function fired(
  timers: Timers,
  span: readonly [from: string, to: string],
  symbols = [AAPL],
): readonly string[] {
  const clock = new VirtualClock(at(span[0]));
  const heard: string[] = [];
  timerBatches({ timers, symbols, clock, until: at(span[1]) }).subscribe(({ time, marks, events }) => {
    expect([time, marks]).toEqual([clock.now(), []]);
    for (const event of events)
      if (event.kind === 'timer')
        heard.push(
          `${new Date(event.time).toISOString().slice(0, 16)}Z ${event.name} ${event.symbols.join()}`,
        );
  });
  while (clock.next() !== undefined) clock.fireNext();
  return heard;
}

describe("a strategy's timers", () => {
  it('fire at each end of their period, from the opening of the regular session to its close', () => {
    const day = fired({ look: { every: '1h' } }, ['2024-01-03T00:00Z', '2024-01-04T00:00Z']);
    const hours = ['15:30', '16:30', '17:30', '18:30', '19:30', '20:30', '21:00'];
    expect(day).toEqual(hours.map((hour) => `2024-01-03T${hour}Z look AAPL.US`));
  });

  it('pause over lunch, weekends and holidays', () => {
    const hongKong = fired({ look: { every: '2h' } }, ['2024-02-09T00:00Z', '2024-02-14T23:00Z'], [DEMO]);
    // Lunar New Year: half a day on the 9th, then closed until the 14th.
    expect(hongKong).toEqual([
      '2024-02-09T03:30Z look 700.HK',
      '2024-02-09T04:00Z look 700.HK',
      '2024-02-14T03:30Z look 700.HK',
      '2024-02-14T04:00Z look 700.HK',
      '2024-02-14T07:00Z look 700.HK',
      '2024-02-14T08:00Z look 700.HK',
    ]);
  });

  it("fire at a time of the day by each market's clock, daylight saving time included", () => {
    const both = fired({ late: { at: '15:45' } }, ['2024-03-08T00:00Z', '2024-03-12T00:00Z'], [AAPL, DEMO]);
    expect(both).toEqual([
      '2024-03-08T07:45Z late 700.HK',
      '2024-03-08T20:45Z late AAPL.US',
      '2024-03-11T07:45Z late 700.HK',
      '2024-03-11T19:45Z late AAPL.US',
    ]);
  });

  it('fire on the first and last trading days of weeks and months of their market', () => {
    const terms = { at: '15:45' } as const;
    const daysOf = (on: TimerDay, span: readonly [from: string, to: string], symbol = AAPL) =>
      fired({ on: { ...terms, on } }, span, [symbol]).map((line) => line.slice(5, 16));
    const year = ['2024-01-01T00:00Z', '2024-04-03T00:00Z'] as const;
    // New York is closed on 1 January, on Mondays 15 January and 19 February, and on Good Friday, 29 March.
    expect(daysOf('month-start', year)).toEqual(['01-02T20:45', '02-01T20:45', '03-01T20:45', '04-01T19:45']);
    expect(daysOf('month-end', year)).toEqual(['01-31T20:45', '02-29T20:45', '03-28T19:45']);
    const winter = ['2024-01-12T00:00Z', '2024-01-27T00:00Z'] as const;
    expect(daysOf('week-start', winter)).toEqual(['01-16T20:45', '01-22T20:45']);
    expect(daysOf('week-end', winter)).toEqual(['01-12T20:45', '01-19T20:45', '01-26T20:45']);
    expect(daysOf('week-end', ['2024-03-25T00:00Z', '2024-04-01T00:00Z'])).toEqual(['03-28T19:45']);
    // Lunar New Year in Hong Kong: half a day on Friday 9 February, closed until Tuesday.
    const february = ['2024-02-05T00:00Z', '2024-02-17T00:00Z'] as const;
    expect(daysOf('week-start', february, DEMO)).toEqual(['02-05T07:45', '02-14T07:45']);
    expect(daysOf('week-end', february, DEMO)).toEqual(['02-09T03:45', '02-16T07:45']);
    // The last trading day of November 2024 in New York is half a day.
    expect(daysOf('month-end', ['2024-11-01T00:00Z', '2024-12-01T00:00Z'])).toEqual(['11-29T17:45']);
  });

  it('fire earlier on a half day if they are relative to the close', () => {
    const july = fired({ late: { at: '15:45' }, early: { at: '10:00' } }, [
      '2024-07-03T00:00Z',
      '2024-07-04T23:00Z',
    ]);
    expect(july).toEqual(['2024-07-03T14:00Z early AAPL.US', '2024-07-03T16:45Z late AAPL.US']);
  });

  it('fire in declared order at one instant, on later days too', () => {
    const both: Timers = { a: { every: '30m' }, b: { at: '10:00' } };
    const heard = fired(both, ['2024-01-03T14:50Z', '2024-01-04T15:10Z']).filter((line) =>
      line.includes('T15:00Z'),
    );
    expect(heard.map((line) => line.slice(8, 20))).toEqual([
      '03T15:00Z a ',
      '03T15:00Z b ',
      '04T15:00Z a ',
      '04T15:00Z b ',
    ]);
  });

  it('fire once each for all that became due in a sleep, with the newest time, and continue as before (F-C04)', () => {
    const clock = new VirtualClock(at('2024-01-03T14:00Z'));
    let woken = clock.now();
    const asleep: Clock = {
      now: () => millis(Math.max(clock.now(), woken)),
      at: (due, phase, action) => clock.at(due, phase, action),
    };
    const timers: Timers = { look: { every: '15m' }, early: { at: '10:00' } };
    const heard: string[] = [];
    timerBatches({ timers, symbols: [AAPL], clock: asleep, until: at('2024-01-03T17:30Z') }).subscribe(
      ({ time, events }) => {
        for (const event of events)
          heard.push(`${new Date(time).toISOString().slice(11, 16)} ${'name' in event && event.name}`);
      },
    );
    clock.fireNext();
    woken = at('2024-01-03T17:10Z');
    while (clock.next() !== undefined) clock.fireNext();
    expect(heard).toEqual(['14:45 look', '15:00 early', '17:00 look', '17:15 look', '17:30 look']);
  });

  it('fire a last time if the machine slept over the end of the run (F-C04)', () => {
    const clock = new VirtualClock(at('2024-01-03T14:00Z'));
    let isAsleep = false;
    const asleep: Clock = {
      now: () => (isAsleep ? at('2024-01-04T18:00Z') : clock.now()),
      at: (due, phase, action) => clock.at(due, phase, action),
    };
    const heard: Millis[] = [];
    const [timers, until] = [{ look: { every: '1h' } } as const, at('2024-01-03T16:30Z')];
    timerBatches({ timers, symbols: [AAPL], clock: asleep, until }).subscribe(({ time }) => heard.push(time));
    isAsleep = true;
    while (clock.next() !== undefined) clock.fireNext();
    expect(heard).toEqual([until]);
  });

  it('leave nothing on the clock after the last unsubscribe', () => {
    const clock = new VirtualClock(at('2024-01-03T14:00Z'));
    const timers: Timers = { b: { at: '10:00' }, a: { every: '30m' } };
    const until = at('2024-01-05T00:00Z');
    const running = timerBatches({ timers, clock, symbols: [AAPL, DEMO], until }).subscribe();
    clock.fireNext();
    expect(clock.next()).toBeDefined();
    running.unsubscribe();
    expect(clock.next()).toBeUndefined();
  });
});
