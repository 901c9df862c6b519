import type { RunRecord } from '../../src/events/run-record.ts';
import { Decimal } from '../../src/model/decimal.ts';
import type { Fill } from '../../src/model/fill.ts';
import { executionId, intentId, orderId, type Side } from '../../src/model/order.ts';
import type { DataOrigin, Security } from '../../src/model/security.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { calendarDay, DAY_MS, dayToUtc, type Millis, millis } from '../../src/model/time.ts';

export const START = dayToUtc(calendarDay('2024-01-01'));

const REAL: DataOrigin = { kind: 'real', source: 'an exchange', license: 'BSD-3-Clause' };
export const GENERATED: DataOrigin = { kind: 'generated', seed: 7, method: 'a walk' };

export function aSecurity(change: Partial<Security> = {}): Security {
  return {
    symbol: securitySymbol('SPX.US'),
    names: { en: 'S&P 500', zhCn: '', zhHk: '' },
    kind: 'index',
    board: 'USMain',
    currency: 'USD',
    lotSize: 1,
    margin: { initial: new Decimal(1), maintenance: new Decimal(1), forced: new Decimal(1) },
    tradable: true,
    origin: REAL,
    ...change,
  };
}

let executions = 0;

/** A fill on day `day` of the run, in text figures. */
export function aFill(
  side: Side,
  quantity: number,
  price: string,
  more: Partial<Fill> & { day?: number } = {},
): Fill {
  const { day = 0, ...rest } = more;
  executions += 1;
  return {
    executionId: executionId(`e${executions}`),
    orderId: orderId(`o${executions}`),
    intentId: intentId(`i${executions}`),
    symbol: securitySymbol('SPX.US'),
    side,
    quantity: new Decimal(quantity),
    price: new Decimal(price),
    currency: 'USD',
    fee: new Decimal('1'),
    charges: [],
    time: millis(START + day * DAY_MS),
    ...rest,
  };
}

/** A run whose equity takes the given values at the closes of the days after the start. */
export function aRun(
  equity: readonly number[],
  change: Omit<Partial<RunRecord>, 'fills'> & { fills?: readonly Fill[] } = {},
): RunRecord {
  const { fills = [], ...rest } = change;
  const to: Millis = millis(START + equity.length * DAY_MS);
  return {
    mode: 'backtest',
    strategy: 'sma-cross',
    config: 'config/sma-cross.yaml',
    securities: [aSecurity()],
    currency: 'USD',
    from: START,
    to,
    initialEquity: 100_000,
    equity: {
      time: Float64Array.from(equity, (_, index) => START + (index + 1) * DAY_MS),
      value: Float64Array.from(equity),
      exposure: Float64Array.from(equity, () => 0.25),
    },
    flow: {
      quotes: 0,
      bars: equity.length,
      signals: 4,
      intents: 4,
      denied: 1,
      orders: 3,
      fills: fills.length,
    },
    fills,
    decisions: fills.map((fill) => ({ kind: 'order-filled', at: fill.time, intentId: fill.intentId, fill })),
    assumptions: ['Orders fill at the next print, in full', 'No market impact, no queue position'],
    journal: undefined,
    ...rest,
  };
}
