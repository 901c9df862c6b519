import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Processes, commands and threads that tests start take compiled code from here: Node's own cache.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');

// State that the bots of one user share goes to a folder of the tests, never to that of the user who runs them.
process.env['XDG_STATE_HOME'] = join(tmpdir(), 'sluice-test-state');

/** Where CI wants its figures; absent otherwise. */
const report = process.env['SLUICE_TEST_REPORT'];

/** Tests that start processes or threads, run a bot over sockets, or need a program of the system. */
const SYSTEM = 'test/**/*.system.test.ts';

/** Tests that change state of their process, so that each file needs its own process. */
const ISOLATED = [
  'app/clock/system-clock',
  'cli/output/progress',
  'hosts/worker-codec',
  'wire/constant-time',
].map(testFile);

/** Files with properties of which `npm test` runs a part of the random cases, and `npm run test:all` more. */
const MORE_CASES = [
  ...['express-actions', 'express-bars', 'express-margin', 'express-windows'].map(inBacktest),
  ...['no-future-shipped', 'runs-in-turns', 'whole-strategies'].map(inBacktest),
  ...['engine/brackets-in-any-order', 'engine/targets-in-any-order'],
  ...['execution/algorithms/rebalance-properties', 'execution/algorithms/submitted-again'],
  ...['model/amount', 'model/order-state-model', 'simulation/all-orders'],
].map(testFile);

/** Long files without processes that only `npm run test:all` runs. */
const LONG_ALONE = ['backtest/shipped-in-both-engines', 'signals/cost', 'simulation/inside-bars'].map(
  testFile,
);

/** The files that take longest, the longest first: started last, one of them would run alone at the end. */
const LONG = [
  ...['cli/one-account', 'cli/killed-research', 'cli/sweep', 'cli/operators-walk', 'cli/no-descriptors'],
  ...['dashboard/dashboard-in-browser', 'docs/walks', 'cli/bad-disk', 'config/plugin-kinds'],
  ...['parity/shipped-configs', 'cli/run-terminal', 'cli/init', 'cli/walk-forward', 'cli/queue'],
  ...['cli/run-refusals', 'isolation/determinism', 'cli/kill-flatten', 'docs/json', 'cli/read-only-disk'],
  ...['app/notifiers', 'app/doctor/doctor', 'cli/watch', 'engine/splits-on-sockets'],
  ...['engine/faults-on-sockets', 'crash/crash', 'engine/network-on-sockets'],
  ...['backtest/express', 'backtest/whole-strategies', 'engine/sessions', 'simulation/inside-bars'],
  ...['execution/algorithms/submitted-again', 'oracles/strategies'],
  ...['backtest/no-future-shipped', 'backtest/express-margin', 'simulation/all-orders', 'model/amount'],
];

function testFile(name: string): string {
  return `test/${name}.test.ts`;
}

function inBacktest(name: string): string {
  return `backtest/${name}`;
}

/** vitest's order, with the long files first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONG.findIndex((name) => moduleId.includes(`/test/${name}.`));
      return found < 0 ? LONG.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** `npm test` runs the two unit projects, `npm run test:all` the two others. */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [SYSTEM, ...ISOLATED, ...LONG_ALONE],
        },
      },
      { extends: true, test: { name: 'unit-isolated', include: ISOLATED } },
      {
        extends: true,
        test: {
          name: 'cases',
          isolate: false,
          include: [...MORE_CASES, ...LONG_ALONE],
          env: { SLUICE_OTHER_CASES: 'true' },
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: [SYSTEM],
          // A machine that stalls for seconds can fail a test of real processes. CI tries those once more and lists them at the end.
          ...(report === undefined ? {} : { retry: { count: 1, condition: /^(?!Property failed)/ } }),
        },
      },
    ],
    setupFiles: ['test/fixtures/property-seed.ts'],
    // Bounds for what hangs, not for what is slow: machines that run tests do other things too.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // Three files at once keep both cores of a small machine busy. System tests wait for their processes: four there.
    maxWorkers: 3,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
