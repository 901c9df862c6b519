import { describe, expect, it } from 'vitest';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { limitAlarmRate } from '#src/app/logs/alarm-rate.ts';
import { openNotices } from '#src/app/logs/notices.ts';
import type { PaperOptions } from '#src/app/run/run-options.ts';
import type { Alarm } from '#src/model/notice.ts';
import { MINUTE_MS, millis } from '#src/model/time.ts';

function rated() {
  let now = 0;
  const passed: Alarm[] = [];
  const alarms = limitAlarmRate((alarm) => passed.push(alarm), { now: () => millis(now) });
  return {
    passed,
    end: alarms.end,
    wait: (forMs: number): void => {
      now += forMs;
    },
    raise: (message: string, code = 'books-unread', facts: Alarm['facts'] = {}) =>
      alarms.raise({ code, message, at: millis(now), facts }),
  };
}

describe('alarms that repeat', () => {
  it('pass three times, then once in five minutes with the number left out', () => {
    const { passed, raise, wait, end } = rated();
    for (let count = 0; count < 571; count += 1) {
      raise(`No answer within ${count} ms`);
      wait(1_000);
    }
    expect(passed.map(({ message }) => message)).toEqual([
      'No answer within 0 ms',
      'No answer within 1 ms',
      'No answer within 2 ms',
      'No answer within 302 ms (299 more like it were left out)',
    ]);
    end();
    expect(passed.at(-1)?.message).toBe('No answer within 570 ms (268 more like it were left out)');
    end();
    expect(passed).toHaveLength(5);
  });

  it('pass each if they are about different things', () => {
    const { passed, raise } = rated();
    for (const symbol of ['AAPL', 'MSFT', 'SPY', 'QQQ', 'IBM']) raise(`${symbol}.US is unread`);
    for (let id = 0; id < 5; id += 1) raise(`Order 67954718100000000${id} is unknown`);
    for (const code of ['a', 'b', 'c', 'd', 'e']) raise('The same text', code);
    expect(passed).toHaveLength(15);
  });

  it('pass for each of five Hong Kong symbols, whose codes are numbers', () => {
    const { passed, raise } = rated();
    const symbols = ['700.HK', '9988.HK', '3690.HK', '1810.HK', '5.HK'];
    for (const symbol of symbols) raise(`200 of 700 ${symbol} have no stop: 350.20`, 'exits-missing');
    for (const symbol of symbols) raise(`${symbol}, 388.HK: the market is closed`, 'market-closed');
    for (const symbol of symbols) raise('Cannot read the order', 'unread-order', { symbol });
    for (const symbol of symbols) raise('A quote is missing', 'no-quote', { symbols: `${symbol} 388.HK` });
    expect(passed).toHaveLength(20);
  });

  it('pass three times for one Hong Kong symbol, whatever the other numbers', () => {
    const { passed, raise } = rated();
    for (let count = 0; count < 9; count += 1) {
      const facts = { symbol: '700.HK', quantity: String(count) };
      raise(`${count} shares of 700.HK have no stop at ${count}.20`, 'exits-missing', facts);
    }
    expect(passed).toHaveLength(3);
  });

  it('pass again at once after a pause', () => {
    const { passed, raise, wait } = rated();
    for (let count = 0; count < 3; count += 1) raise('The line is cut');
    wait(5 * MINUTE_MS);
    raise('The line is cut');
    expect(passed).toHaveLength(4);
  });
});

describe('the alarms of a run', () => {
  it('are the newest of each code and symbol, the newest first, for its status', async () => {
    const setup = { strategy: { name: 's' }, securities: [{ symbol: '700.HK' }], currency: 'HKD' };
    const config = { path: 'a.yaml', mode: 'paper', account: { currency: 'HKD' } };
    const printed: string[] = [];
    const onAlarm = ({ code }: Alarm): void => void printed.push(code);
    const options = { config, setup, onAlarm } as unknown as PaperOptions;
    const notices = openNotices(options, createSystemClock());
    for (const [at, code, message, facts] of [
      [1, 'margin-call', 'first', {}],
      [2, 'exits-missing', 'of 700.HK', { symbol: '700.HK' }],
      [3, 'margin-call', 'second', {}],
      [4, 'exits-missing', 'of 5.HK', { symbol: '5.HK' }],
      [5, 'market-closed', 'until Monday', { symbols: '5.HK 700.HK' }],
      [6, 'market-closed', 'until noon', { symbols: 'AAPL.US' }],
      [7, 'exits-missing', 'of 700.HK again', { symbol: '700.HK' }],
    ] as const)
      notices.raise({ code, message, at: millis(at), facts });
    expect(notices.alarms().map(({ code, message }) => [code, message])).toEqual([
      ['exits-missing', 'of 700.HK again'],
      ['market-closed', 'until noon'],
      ['market-closed', 'until Monday'],
      ['exits-missing', 'of 5.HK'],
      ['margin-call', 'second'],
    ]);
    expect(printed).toHaveLength(7);
    for (let code = 0; code < 60; code += 1)
      notices.raise({ code: `c-${code}`, message: '', at: millis(8), facts: {} });
    expect(notices.alarms()).toHaveLength(50);
    await notices.close();
  });
});
