import { backtest } from '@sluice-trading/sluice/backtest';
import { describe, expect, it } from 'vitest';

const CONFIG = 'config/sma-cross.yaml';

/** Figures and trades, with the trades as a plain list. */
const figuresOf = ({ performance }: Awaited<ReturnType<typeof backtest>>) => ({
  ...performance,
  trades: performance.trades.closed,
});

describe('backtest as a library', () => {
  it('returns what the command prints, as types', async () => {
    const { performance, record, params } = await backtest(CONFIG);
    expect(performance.finalEquity).toBeCloseTo(114_171.87, 2);
    expect(performance.trades.closed).toHaveLength(87);
    expect(record.mode).toBe('backtest');
    expect(params).toEqual({ fast: 10, slow: 30, weight: 0.25 });
  });

  it('takes parameters and days in place of those of the YAML', async () => {
    const { record, params } = await backtest(CONFIG, { params: { fast: 20 }, to: '2001-03-01' });
    expect(params).toEqual({ fast: 20, slow: 30, weight: 0.25 });
    expect(new Date(record.to).toISOString().slice(0, 10)).toBe('2001-03-01');
  });

  it('keeps every decision if asked for, next to the same figures', async () => {
    const plain = await backtest(CONFIG);
    const detailed = await backtest(CONFIG, { decisions: true });
    expect(plain.record.decisions).toBeUndefined();
    expect(figuresOf(detailed)).toEqual(figuresOf(plain));
    expect(detailed.record.fills).toMatchObject(plain.record.fills);
    const kinds = new Set(detailed.record.decisions?.map(({ kind }) => kind));
    expect([...kinds]).toEqual(expect.arrayContaining(['signal', 'intent-drafted', 'order-filled']));
    const fills = detailed.record.decisions?.filter(({ kind }) => kind === 'order-filled');
    expect(fills).toHaveLength(plain.record.flow.fills);
  });

  it.each([
    [{ params: { fats: 3 } }, 'Cannot set parameter "fats" to "3"'],
    [{ params: { fast: 1 } }, 'want a whole number from 2 to 200'],
    [{ from: '2001-02-29' }, 'Cannot read "2001-02-29" as a day'],
    [{ from: '2020-01-01', to: '2019-01-01' }, 'Cannot run from "2020-01-01" to "2019-01-01"'],
  ])('refuses %o', async (changes, words) => {
    await expect(backtest(CONFIG, changes)).rejects.toThrow(words);
  });

  it('throws every mistake of a YAML at once', async () => {
    await expect(backtest('config/none.yaml')).rejects.toThrow('there is no such file');
  });
});
