import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { PRINT_FILLS } from '#src/simulation/models.ts';
import { AAPL, at, bars, fills, order, runUntil, TENCENT, world } from './world.ts';

/** A quote of 99.5 to 100.5, known at that instant. */
const quote = (stamp: string, symbol = AAPL) => ({
  symbol,
  length: 1,
  time: Float64Array.of(at(stamp)),
  bid: Float64Array.of(99.5),
  ask: Float64Array.of(100.5),
});

describe('a market order with known bid and ask', () => {
  const quoted = (stamp: string) => {
    const rows = [
      ['2024-01-04T10:00:00-05:00', 100, 101, 99, 100],
      ['2024-01-04T10:01:00-05:00', 102, 103, 101, 102],
    ] as const;
    const start = '2024-01-04T10:00:00-05:00';
    const made = world({ bars: [bars('AAPL.US', '1m', rows)], start, bidAsk: [quote(stamp)] });
    runUntil(made.simulation, '2024-01-04T10:01:00-05:00');
    return made;
  };

  it('pays the ask and gets the bid', () => {
    const { simulation, account } = quoted('2024-01-04T10:01:00-05:00');
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-04T10:01:00.001-05:00');
    order(account, { quantity: '4', side: 'sell' });
    runUntil(simulation, '2024-01-04T10:01:20-05:00');
    expect(fills(account)).toEqual(['15:01:00 100.5 x 10', '15:01:00 99.5 x 4']);
  });

  it('ignores a quote older than the previous bar', () => {
    const { simulation, account } = quoted('2024-01-04T09:59:00-05:00');
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-04T10:01:20-05:00');
    expect(fills(account)).toEqual(['15:01:00 102 x 10']);
  });
});

describe('a market order that waits for the open', () => {
  /**
   * Daily bars, 100 on the first day, and an order sent after its close. The quote is of that bar or of the next
   * day's opening.
   */
  const overNight = (stamp: string, second: number, ratio?: string) => {
    const rows = [
      ['2024-01-04T00:00:00-05:00', 100, 100, 100, 100],
      ['2024-01-05T00:00:00-05:00', second, second, second, second],
    ] as const;
    const split = { kind: 'split', symbol: AAPL, exDay: calendarDay('2024-01-05') } as const;
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1d', rows)],
      start: '2024-01-04T09:30:00-05:00',
      bidAsk: [quote(stamp)],
      corporateActions: ratio === undefined ? [] : [{ ...split, ratio: decimal(ratio) }],
    });
    runUntil(simulation, '2024-01-04T16:00:00-05:00');
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-05T12:00:00-05:00');
    return fills(account);
  };

  it('pays the opening price, not the ask of the evening before', () => {
    expect(overNight('2024-01-04T15:59:00-05:00', 110)).toEqual(['14:30:00 110 x 10']);
    expect(overNight('2024-01-05T09:29:59-05:00', 110)).toEqual(['14:30:00 110 x 10']);
  });

  it('pays the ask of the opening itself', () => {
    expect(overNight('2024-01-05T09:30:00-05:00', 110)).toEqual(['14:30:00 100.5 x 10']);
  });

  it('pays no ask of old shares after a split', () => {
    expect(overNight('2024-01-04T15:59:00-05:00', 25, '4')).toEqual(['14:30:00 25 x 40']);
  });

  it('or for the afternoon pays the opening price then, not the ask from before lunch', () => {
    const rows = [
      ['2024-03-06T11:00:00+08:00', 100, 100, 100, 100],
      ['2024-03-06T13:00:00+08:00', 102, 102, 102, 102],
    ] as const;
    const afterLunch = (stamp: string) => {
      const { simulation, account } = world({
        bars: [bars('700.HK', '1h', rows)],
        start: '2024-03-06T11:00:00+08:00',
        bidAsk: [quote(stamp, TENCENT)],
      });
      runUntil(simulation, '2024-03-06T12:30:00+08:00');
      order(account, { symbol: '700.HK', quantity: '100' });
      runUntil(simulation, '2024-03-06T13:05:00+08:00');
      return fills(account);
    };
    expect(afterLunch('2024-03-06T11:59:00+08:00')).toEqual(['05:00:00 102 x 100']);
    expect(afterLunch('2024-03-06T13:00:00+08:00')).toEqual(['05:00:00 100.5 x 100']);
  });

  it('uses the quote within the previous bar if the market is open at every bar', () => {
    const rows = [
      ['2024-01-04T00:00:00-05:00', 100, 100, 100, 100],
      ['2024-01-05T00:00:00-05:00', 110, 110, 110, 110],
    ] as const;
    const { simulation, account } = world({
      bars: [bars('AAPL.US', '1d', rows)],
      start: '2024-01-04T09:30:00-05:00',
      bidAsk: [quote('2024-01-04T15:59:00-05:00')],
      models: { fills: { ...PRINT_FILLS, hours: 'bars' } },
    });
    runUntil(simulation, '2024-01-04T16:00:00-05:00');
    order(account, { quantity: '10' });
    runUntil(simulation, '2024-01-05T12:00:00-05:00');
    expect(fills(account)).toEqual(['21:00:00 100.5 x 10']);
  });
});
