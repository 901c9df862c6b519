import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { riskSchema } from '#src/config/schema/risk-schema.ts';
import { decimal } from '#src/model/decimal.ts';
import { reportJson } from '#src/reports/json.ts';
import { stoppedOf, stoppedText } from '#src/reports/stopped.ts';
import { terminalReport } from '#src/reports/terminal.ts';
import { LIMITS } from '#src/risk/limits.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { bars } from '../simulation/world.ts';

/** Monday to Friday: a rise, then a day that loses a tenth. */
const week = bars('AAPL.US', '1d', [
  ['2024-03-04T05:00:00Z', 10, 11, 10, 10],
  ['2024-03-05T05:00:00Z', 10, 11, 10, 11],
  ['2024-03-06T05:00:00Z', 11, 11, 9, 9.5],
  ['2024-03-07T05:00:00Z', 9.5, 10, 9, 9.6],
  ['2024-03-08T05:00:00Z', 9.6, 10, 9, 9.7],
]);

const allIn = defineStrategy({
  name: 'all-in',
  params: {},
  signals: () => ({}),
  onBar: ({ symbol }, { orders, position }) =>
    position(symbol).quantity < 900 ? orders.buy(symbol, 450) : undefined,
});

const runWith = (maxDailyLoss: string) =>
  runBacktest(setupOf(allIn, [week], { limits: limitsOf({ maxDailyLoss: decimal(maxDailyLoss) }) }));

describe('a run whose gate stopped', () => {
  const record = runWith('0.02');

  it('shows since when, by which limit, for how much of the run, and which config line lets the strategy continue', () => {
    const stopped = stoppedOf(record);
    expect(stopped).toMatchObject({
      state: 'killed',
      rule: 'daily-loss',
      line: 'maxDailyLoss: 100%',
      share: 0.4,
    });
    expect(stopped === undefined ? '' : stoppedText(stopped, 'config/x.yaml')).toMatch(
      /^Nothing opened after 2024-03-06 \(40% of the closes of this run\): the gate is killed by daily-loss: The day has cost .* of equity, limit is 2%, and it was not resumed\. To see the strategy without this limit, write "maxDailyLoss: 100%" under "risk:" in config\/x\.yaml$/,
    );
  });

  it('is shown above the figures, in text and in JSON, and not for another run', () => {
    const text = terminalReport(record, { colour: false });
    expect(text.indexOf('Nothing opened after 2024-03-06')).toBeLessThan(text.indexOf('Return'));
    expect(text).toContain('Nothing opened after 2024-03-06');
    expect(reportJson(record).stopped).toMatchObject({ rule: 'daily-loss', line: 'maxDailyLoss: 100%' });
    const free = runWith('1');
    expect(terminalReport(free, { colour: false })).not.toContain('Nothing opened');
    expect(reportJson(free).stopped).toBeNull();
    expect(stoppedOf(free)).toBeUndefined();
  });

  it('names lines that a config may have, one for each limit that moves the gate', () => {
    const rules = { 'daily-loss': 1, drawdown: 1, runaway: 1, 'repeated-breach': 1 };
    for (const rule of Object.keys(rules)) {
      const standing = { state: 'killed', by: 'gate', rule, reason: '', since: record.from } as const;
      const [name = '', value = ''] = (stoppedOf({ ...record, gate: standing })?.line ?? '').split(': ');
      expect(LIMITS).toHaveProperty(name);
      const text = /^\d+$/.test(value) ? Number(value) : value;
      expect([name, riskSchema().safeParse({ [name]: text }).success]).toEqual([name, true]);
      expect([name, riskSchema().safeParse({ [name]: '1000000000%' }).success]).toEqual([name, false]);
    }
  });
});
