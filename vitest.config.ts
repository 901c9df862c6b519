import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// What one process of tests, one command or one plugin's thread has compiled, the next one takes from here: Node's own place for it.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');

/** Where the CI script wants its numbers; absent in everyday runs. */
const report = process.env['SLUICE_TEST_REPORT'];

const heavy = ['contracts', 'parity', 'tidy', 'interop', 'oracles', 'sim', 'museum', 'browser'];

/** Those of them that touch nothing of the process either. */
const SHARING = new Set(['contracts', 'tidy']);

/** Rooms whose tests touch nothing of the process that they run in: one process takes file after file of them. */
const rooms = [
  ...['model', 'signals', 'strategy', 'strategies', 'testing', 'risk', 'markets', 'simulation', 'execution'],
  ...['events', 'ports', 'reports', 'catalogue', 'market-data', 'backtest', 'venue', 'broker'],
  'journal',
]
  .map((room) => `test/${room}/**/*.test.ts`)
  // Those on sockets count on the machine's time as well, and one puts counters in place of the process's digests.
  .concat('test/engine/!(*on-sockets).test.ts', 'test/wire/!(constant-time).test.ts');
/** Whoever asks for a project by its name finds all of `src` in `unit`. */
const isSplit = !process.argv.some((argument) => argument.startsWith('--project'));

/** Files that take long, the longest first: one that was begun last would go on alone at the end, beside a core that sleeps. */
const LONG = [
  ...['cli/bad-disk', 'parity/shipped-configs', 'cli/operators-walk', 'cli/init', 'docs/walks'],
  ...['config/plugin-kinds', 'app/notifiers', 'engine/network-on-sockets', 'docs/json'],
  ...['engine/faults-on-sockets', 'config/plugin-notifiers', 'cli/commands', 'cli/live-over-tls'],
  ...['cli/watch', 'docs/snippets', 'crash/crash'],
];

/** The order that vitest would take, but for those. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return found < 0 ? LONG.length : found;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** One project per kind of test; `unit`, and `rooms` where it is split off, mirror the rooms of `src`. */
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...heavy.map((kind) => `test/${kind}/**`), ...(isSplit ? rooms : [])],
        },
      },
      ...(isSplit
        ? [
            {
              extends: true as const,
              test: { name: 'rooms', isolate: false, include: rooms },
            },
          ]
        : []),
      ...heavy.map((kind) => ({
        extends: true as const,
        test: {
          name: kind,
          isolate: !SHARING.has(kind),
          include: [`test/${kind}/**/*.test.ts`],
        },
      })),
    ],
    // Bounds for what hangs, not for what is slow: machines that run tests do other things too.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // Many tests wait for processes of their own: with three files at once both cores of a small machine have something to do.
    maxWorkers: 3,
    // A machine that stalls for seconds fails tests of real processes now and then. CI tries those once more and names them in
    // its closing lines; what a property found is never tried again. There properties draw from one seed, everywhere else
    // from a new one each time.
    ...(report === undefined
      ? {}
      : {
          retry: { count: 1, condition: /^(?!Property failed)/ },
          setupFiles: ['test/fixtures/one-seed.ts'],
        }),
    passWithNoTests: true,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
