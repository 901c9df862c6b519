import { againstLoop } from './against-loop.ts';
import { atLeast, type Benchmark } from './benchmark.ts';
import { runBracketLoop } from './bracket-loop.ts';
import { bracket as strategy } from './bracket-strategy.ts';
import { CHARGE, idealSetup } from './ideal-setup.ts';
import { sameResult } from './run-result.ts';
import { walkBars, walkSecurity } from './walk-bars.ts';

const BARS = { full: 1_000_000, smoke: 5_000 } as const;
const SEED = 7;
const RULES = { entry: 0.3, stop: 0.5, quantity: 100, cash: 1e9, charge: CHARGE };

/** A limit or a stop order works at every bar, and a hook of the strategy is called at every bar. */
export const bracket: Benchmark = {
  name: 'bracket',
  run(scale) {
    const security = walkSecurity('WALK', SEED);
    const bars = walkBars(BARS[scale], SEED, security.symbol);
    const { entry, stop, quantity, cash } = RULES;
    const params = { entry, stop, quantity };
    const setup = idealSetup({ strategy, params, securities: [security], history: [bars], cash });
    const { oursMs, yardstickMs, timeRatio, pairs, ours, loop } = againstLoop(setup, () =>
      runBracketLoop(bars, RULES),
    );
    return [
      {
        id: 'bracket',
        work: `A limit or a stop rests at every one of ${bars.length} bars, compared with js-curve of the same rule`,
        ours: bars.length / oursMs / 1e3,
        yardstick: bars.length / yardstickMs / 1e3,
        unit: 'M bars/s',
        ratio: 1 / timeRatio,
        goal: atLeast(0.25),
        gates: sameResult(ours, loop),
        notes: [`${ours.fills} fills; median of ${pairs} pairs in turn, both compiled by rounds before`],
      },
    ];
  },
};
