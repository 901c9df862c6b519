import { describe, expect, it } from 'vitest';
import { differences } from './compare.ts';
import { jsonNames, type Oracle, readOracle } from './oracle-file.ts';
import { replayOracle } from './replay.ts';
import { replayVerdicts } from './replay-verdicts.ts';
import { closedInFull } from './ruin.ts';

const ORACLES = 'test/oracles/data/runs';
const DATA = 'test/oracles/data/prices';

describe('recorded orders in our simulation', () => {
  for (const id of jsonNames(ORACLES)) {
    it(`reproduce every fill, trade, equity and figure of ${id}`, () => {
      const verdicts = [...replayVerdicts(ORACLES, DATA, id)];
      expect(verdicts.length).toBeGreaterThan(0);
      expect(verdicts.filter(({ problem }) => problem !== undefined)).toEqual([]);
    });
  }
});

describe('an oracle whose equity was used up', () => {
  it('counts what its program left open as closed at the same price', () => {
    const oracle = {
      account: { cash: 100, commission_rate: 0.25 },
      fills: [{ order: null, bar: 7, side: 'buy', units: 2, price: 60, commission: 30 }],
      trades: [],
      open_trades: [{ side: 'short', units: 3, entry_bar: 2, entry_price: 10 }],
      result: { closed_trades: 1 },
    } as unknown as Oracle;
    const { fills, trades, open_trades } = closedInFull(oracle);
    expect(fills[1]).toMatchObject({ bar: 7, side: 'buy', units: 3, price: 60, commission: 45 });
    expect(trades[0]).toMatchObject({ side: 'short', units: 3, gross_pnl: -150, net_pnl: -202.5 });
    expect(open_trades).toEqual([]);
  });
});

describe('an oracle that was changed', () => {
  const id = 'hsi-1h-sma-3-8';
  const first = (change: (oracle: Oracle) => Partial<Oracle>): string | undefined => {
    const oracle = readOracle(`${ORACLES}/${id}.json`);
    const changed: Oracle = { ...oracle, ...change(oracle) };
    const [difference] = differences(changed, replayOracle(changed, DATA), `${ORACLES}/${oracle.equity_csv}`);
    return difference;
  };

  it('fails at the first fill that differs by more than 1e-9', () => {
    const tampered = first(({ fills }) => ({
      fills: fills.map((fill, place) => (place === 2 ? { ...fill, price: fill.price * (1 + 3e-9) } : fill)),
    }));
    expect(tampered).toMatch(/^fill 3, price: want /);
  });

  it('fails when it has a fill or a trade more, or one less', () => {
    expect(first(({ fills }) => ({ fills: fills.slice(0, -1) }))).toMatch(/^fill 15: want none, got bar 134/);
    expect(first(({ trades }) => ({ trades: trades.slice(1) }))).toMatch(/^trade 1, entry_bar: want /);
    expect(first(() => ({ open_trades: [] }))).toBe('open position in HSI.HK: want 0, got 42');
  });

  it('fails when an order is missing, by its fill', () => {
    expect(first(({ orders }) => ({ orders: orders.slice(0, -1) }))).toMatch(
      /^fill 15: want bar 134.*got none$/,
    );
  });

  it('fails at the equity when it began with other cash, and at a wrong figure', () => {
    const richer = first(({ account }) => ({ account: { ...account, cash: account.cash + 1 } }));
    expect(richer).toMatch(/^equity after bar 0 /);
    const prouder = first(({ result }) => ({ result: { ...result, closed_trades: 8 } }));
    expect(prouder).toBe('closed_trades: want 8, got 7');
  });

  it.each(['sharpe_252', 'max_drawdown', 'total_return'])(
    'fails at a %s that is off by a millionth, whatever cash the account has',
    (name) => {
      const off = first(({ result }) => ({ result: { ...result, [name]: Number(result[name]) + 1e-6 } }));
      expect(off).toMatch(new RegExp(`^${name}: want `));
    },
  );

  it('cannot be replayed with an unknown engine, schema or period', () => {
    expect(() => first(() => ({ engine: { name: 'abacus' } }))).toThrow('the engine "abacus"');
    const odd = first.bind(undefined, ({ data }) => ({
      data: data.map((each) => ({ ...each, file: 'HSI.HK/7s.csv' })),
    }));
    expect(odd).toThrow(/HSI.HK\/7s.csv/);
  });
});
