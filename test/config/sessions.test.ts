import { describe, expect, it } from 'vitest';
import { onlyText, readWith } from './reading.ts';

const outcome = (sections: Readonly<Record<string, string>>): string => {
  const reading = readWith(sections);
  return reading.kind === 'ok' ? 'ok' : onlyText(reading);
};

describe('sessions', () => {
  it('are regular ones unless configured otherwise, and are passed to the simulated market', () => {
    const plain = readWith({});
    if (plain.kind !== 'ok') throw new Error(onlyText(plain));
    expect([plain.config.sessions, plain.config.simulation.rules.fills.sessions]).toEqual([
      'regular',
      undefined,
    ]);
    const reading = readWith({
      period: 'period: 5m',
      sessions: 'sessions: extended',
      simulation: 'simulation: { participation: 10% }',
    });
    if (reading.kind !== 'ok') throw new Error(onlyText(reading));
    const { sessions, simulation } = reading.config;
    expect([sessions, simulation.rules.fills.sessions]).toEqual(['extended', 'extended']);
    expect(JSON.parse(simulation.written)).toEqual({ participation: '10%', sessions: 'extended' });
  });

  it('override the sessions of the simulated market', () => {
    const reading = readWith({ period: 'period: 5m', simulation: 'simulation: { sessions: all }' });
    if (reading.kind !== 'ok') throw new Error(onlyText(reading));
    expect(reading.config.simulation.rules.fills.sessions).toBeUndefined();
    expect(JSON.parse(reading.config.simulation.written)).toEqual({ sessions: 'regular' });
  });

  it('require bars that they consist of, and matching against ticks', () => {
    const sessions = 'sessions: all';
    expect(outcome({ period: 'period: 1h', sessions })).toContain('1m, 2m, 3m, 5m, 10m, 15m, 30m');
    expect(outcome({ period: 'period: 1d', sessions })).toContain('which every session is made of');
    expect(outcome({ period: 'period: 1m', sessions, simulation: 'simulation: { hours: bars }' })).toContain(
      'in the hours of the calendar',
    );
    expect(outcome({ period: 'period: 1m', sessions: 'sessions: night' })).toContain('"night"');
  });
});

describe('orders outside regular hours', () => {
  it('are limit orders: a market order cannot have that setting', () => {
    expect(outcome({ execution: 'execution: { orderType: MO, outsideRth: any-time }' })).toContain(
      'only limits are traded',
    );
    const reading = readWith({ execution: 'execution: { orderType: LO, outsideRth: any-time }' });
    if (reading.kind !== 'ok') throw new Error(onlyText(reading));
    expect(reading.config.execution.outsideRth).toBe('any-time');
    const warned = reading.warnings.map(({ message }) => message).join('\n');
    expect(warned).toContain('"risk.maxSession" is "rth-only": all of them are denied');
    expect(warned).toContain('"sessions" is "regular"');
  });
});

describe('a schedule', () => {
  it('needs a start if it has a stop, which nothing else ends', () => {
    expect(outcome({ schedule: 'schedule: { stop: "50 15 * * 1-5" }' })).toContain(
      'no "stop" without a "start": after its first stop the bot would never open again',
    );
    const hours = 'schedule: { start: "0 10 * * 1-5", stop: "50 15 * * 1-5" }';
    expect(readWith({ schedule: hours }).kind).toBe('ok');
    expect(readWith({ schedule: 'schedule: { start: "0 10 * * 1-5" }' }).kind).toBe('ok');
  });

  it.each([
    ['0 15 * * 6', 'a Saturday'],
    ['0 15 25 12 *', 'Christmas'],
  ])('has no time that never occurs, as of %s (%s)', (time) => {
    expect(outcome({ schedule: `schedule: { flatten: "${time}" }` })).toContain(
      `"flatten" is "${time}", want a time on a trading day of US: this one never comes`,
    );
  });

  it('may have a rare time', () => {
    expect(readWith({ schedule: 'schedule: { flatten: "55 15 29 2 4" }' }).kind).toBe('ok');
  });

  it.each([
    ['09:30', ', write "30 9 * * 1-5"'],
    ['0 30 9 * * 1-5', '; it has 6: minute, hour, day of the month, month, weekday'],
    ['55 15 L * *', '; "L" is not supported'],
    ['55 15 * * MON#1', '; "#" is not supported'],
    ['24:00', 'such as "55 15 * * 1-5"'],
  ])('is a cron expression, which the message for %s explains', (time, hint) => {
    expect(outcome({ schedule: `schedule: { flatten: "${time}" }` })).toContain(
      `"flatten" is "${time}", want a cron expression of five fields, such as "55 15 * * 1-5"`,
    );
    expect(outcome({ schedule: `schedule: { flatten: "${time}" }` })).toContain(hint);
  });
});
