import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { LARGE_CAP_MARGIN } from '#src/markets/margin.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS, type Millis } from '#src/model/time.ts';
import { createSimulation } from '#src/simulation/create-simulation.ts';
import { CASH_ACCOUNT, NO_LATENCY, PRINT_FILLS } from '#src/simulation/models.ts';
import type { Simulation } from '#src/simulation/simulation.ts';
import { CONTRACT_START } from './describe-broker.ts';

export const ACCOUNT = 'paper';
const OPEN = (CONTRACT_START + 10 * MINUTE_MS) as Millis;
const YESTERDAY = OPEN - 86_400_000;
const BARS_A_DAY = 30;

/** Two mornings of 700.HK in minute bars that rise by 0.2 per minute from 400 and from 410. */
export function contractBars(): BarColumns {
  const opens = [YESTERDAY, OPEN].flatMap((open) =>
    Array.from({ length: BARS_A_DAY }, (_, index) => open + index * MINUTE_MS),
  );
  const first = opens.map((_, index) => {
    const start = index < BARS_A_DAY ? 400 : 410;
    return Math.round((start + (index % BARS_A_DAY) * 0.2) * 10) / 10;
  });
  const shifted = (by: number): Float64Array =>
    Float64Array.from(first, (price) => Math.round((price + by) * 10) / 10);
  return {
    symbol: securitySymbol('700.HK'),
    period: '1m',
    length: opens.length,
    time: Float64Array.from(opens),
    open: shifted(0),
    high: shifted(0.4),
    low: shifted(-0.4),
    close: shifted(0.2),
    volume: new Float64Array(opens.length).fill(4_000),
  };
}

/** One million HKD, one symbol, no charges, no latency, no credit. */
export function contractSimulation(quotes: boolean): Simulation {
  return createSimulation({
    securities: [
      {
        symbol: securitySymbol('700.HK'),
        names: { en: 'TENCENT', zhCn: '腾讯控股', zhHk: '騰訊控股' },
        kind: 'stock',
        board: 'HKEquity',
        currency: 'HKD',
        lotSize: 100,
        margin: LARGE_CAP_MARGIN,
        tradable: true,
        origin: { kind: 'generated', seed: 1, method: 'by hand' },
      },
    ],
    bars: [contractBars()],
    start: CONTRACT_START,
    accounts: [
      { id: ACCOUNT, currency: 'HKD', cash: { HKD: decimal('1000000') }, fx: { USDHKD: decimal('7.80') } },
    ],
    quotes,
    models: {
      fills: PRINT_FILLS,
      charges: CHARGE_SCHEDULES.none,
      latency: NO_LATENCY,
      margin: CASH_ACCOUNT,
    },
    seed: 7,
  });
}
