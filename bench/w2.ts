import type { BarColumns } from '../src/model/bar.ts';
import { againstLoop } from './against-loop.ts';
import { atLeast, type Benchmark } from './benchmark.ts';
import { CASH, CHARGE, idealSetup } from './ideal-setup.ts';
import { sameResult } from './run-result.ts';
import { w1 as strategy } from './w1-strategy.ts';
import { runW2Loop } from './w2-loop.ts';
import { walkBars, walkSecurity } from './walk-bars.ts';

const BARS = { full: 100_000, smoke: 2_000 } as const;
const SYMBOLS = 10;
const RULES = { fast: 10, slow: 30, cash: CASH, charge: CHARGE, weight: 0.09 };

/** W2: ten symbols merged by time in one account, each with less than a tenth of the equity. */
export const w2: Benchmark = {
  name: 'w2',
  run(scale) {
    const count = BARS[scale];
    const securities = Array.from({ length: SYMBOLS }, (_, at) => walkSecurity(`WALK${at}`, 100 + at));
    const history: readonly BarColumns[] = securities.map(({ symbol }, at) =>
      walkBars(count, 100 + at, symbol),
    );
    const { fast, slow, weight } = RULES;
    const setup = idealSetup({ strategy, params: { fast, slow, weight }, securities, history });
    const { oursMs, yardstickMs, timeRatio, pairs, ours, loop } = againstLoop(setup, () =>
      runW2Loop(history, RULES),
    );
    const bars = SYMBOLS * count;
    return [
      {
        id: 'w2',
        work: `W2, ${SYMBOLS} symbols x ${count} bars merged by time, compared with the merged loop`,
        ours: bars / oursMs / 1e3,
        yardstick: bars / yardstickMs / 1e3,
        unit: 'M bars/s',
        ratio: 1 / timeRatio,
        goal: atLeast(0.5),
        gates: sameResult(ours, loop),
        notes: [
          'The loop merges ten typed-array series by time, with one account, an equity curve, drawdown and a list of fills',
          `Median of ${pairs} pairs in turn, both compiled by rounds before`,
        ],
      },
    ];
  },
};
