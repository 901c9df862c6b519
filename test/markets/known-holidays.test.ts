import { describe, expect, it } from 'vitest';
import { endingCalendars } from '#src/app/load/check-config.ts';
import { assumptionsOf } from '#src/backtest/assumptions.ts';
import type { BotConfig } from '#src/config/bot-config.ts';
import { unknownHolidayTexts } from '#src/markets/known-holidays.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay, millis } from '#src/model/time.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { bars } from '../simulation/world.ts';

const span = (from: string, to: string) => ({ from: calendarDay(from), to: calendarDay(to) });
const idle = defineStrategy({ name: 'idle', params: {}, signals: () => ({}), onBar: () => undefined });

describe('days beyond the known holidays', () => {
  it('are named with the market and the known years, to the day', () => {
    expect(unknownHolidayTexts(['US', 'HK', 'US'], span('2000-01-01', '2035-12-31'))).toEqual([]);
    expect(unknownHolidayTexts(['HK'], span('2030-01-01', '2036-01-01'))).toEqual([
      'Holidays of "HK" are known from 2000-01-01 to 2035-12-31: days after 2035-12-31 go by the rules alone, and closures by the moon and by decree are missing',
    ]);
    expect(unknownHolidayTexts(['US'], span('1997-12-31', '2036-01-01'))[0]).toContain(
      'days before 1998-01-01 and after 2035-12-31',
    );
    expect(unknownHolidayTexts(['CRYPTO'], span('1990-01-01', '2050-01-01'))).toEqual([]);
  });

  it('are among the assumptions of a run that reaches them', () => {
    const setup = setupOf(idle, [bars('AAPL.US', '1d', [['2036-03-03T05:00:00Z', 10, 11, 10, 10]])]);
    expect(assumptionsOf({ ...setup, ...span('2035-12-01', '2036-03-04') }).join('\n')).toContain(
      'after 2035-12-31 go by the rules alone',
    );
    expect(assumptionsOf(setup).join('\n')).not.toContain('go by the rules alone');
  });

  it('are warned of 60 days ahead if a bot trades today, and not if it replays a past', () => {
    const symbols = [securitySymbol('700.HK')];
    const now = (day: string) => millis(Date.parse(`${day}T10:00:00Z`));
    const data = { ...span('2024-01-02', '2024-02-01'), dir: '' };
    const [replay, upstream] = [{ kind: 'stepped' }, { kind: 'upstream' }] as const;
    const endingOn = (day: string, config: Pick<BotConfig, 'data' | 'paper'>) =>
      endingCalendars({ symbols, broker: undefined, ...config }, now(day));
    expect(endingOn('2035-11-01', { data: undefined, paper: upstream })).toEqual([]);
    expect(endingOn('2035-11-02', { data: undefined, paper: upstream })).toHaveLength(1);
    expect(endingOn('2035-12-30', { data, paper: upstream })).toHaveLength(1);
    expect(endingOn('2035-12-30', { data, paper: replay })).toEqual([]);
  });
});
