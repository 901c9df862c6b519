import { problemText } from '../../src/config/config-error.ts';
import type { ConfigProblem } from '../../src/config/config-problem.ts';
import type { ConfigLookups } from '../../src/config/lookups.ts';
import { type ConfigReading, readBotConfig } from '../../src/config/read-config.ts';
import { param } from '../../src/strategy/params.ts';

const CURRENCIES: ReadonlyMap<string, string> = new Map([
  ['SPX.US', 'USD'],
  ['AAPL.US', 'USD'],
  ['700.HK', 'HKD'],
  ['HSI.HK', 'HKD'],
]);

/** One strategy, `sma-cross`, and four securities; HSI.HK cannot be traded. */
export const lookups: ConfigLookups = {
  strategies: (name) =>
    name === 'sma-cross'
      ? {
          kind: 'ok',
          params: {
            fast: param.int({ min: 2, max: 200, default: 10, doc: 'fast' }),
            slow: param.int({ min: 5, max: 400, default: 30, doc: 'slow' }),
            weight: param.ratio({ default: 0.5, doc: 'weight' }),
          },
        }
      : {
          kind: 'problem',
          code: 'not-found',
          message: `"${name}" is not a known strategy, did you mean "sma-cross"?`,
          nearest: 'sma-cross',
          available: ['sma-cross'],
        },
  securities: () => ({
    symbols: [...CURRENCIES.keys()],
    find: (symbol) => {
      const currency = CURRENCIES.get(symbol);
      return currency === undefined
        ? undefined
        : { currency, tradable: symbol !== 'HSI.HK', lotSize: symbol === '700.HK' ? 100 : 1 };
    },
  }),
};

/** The lines of a valid config, one section per line, for tests to change. */
export const LINES = {
  strategy: 'strategy: sma-cross',
  symbols: 'symbols: [SPX.US]',
  period: 'period: 1d',
  account: 'account: { currency: USD, cash: { USD: 100000 } }',
  data: 'data: { from: 2024-01-02, to: 2024-06-28 }',
};

/** Reads the valid config with some sections replaced or added. */
export function readWith(changes: Readonly<Record<string, string>>): ConfigReading {
  return readText(Object.values({ ...LINES, ...changes }).join('\n'));
}

export function readText(text: string): ConfigReading {
  return readBotConfig({ path: 'config/x.yaml', text }, lookups);
}

export function problemsOf(reading: ConfigReading): readonly ConfigProblem[] {
  return reading.kind === 'problems' ? reading.problems : [];
}

/** The only problem of a reading as text; throws unless there is exactly one. */
export function onlyText(reading: ConfigReading): string {
  const problems = problemsOf(reading);
  const [first] = problems;
  if (first === undefined || problems.length > 1) {
    throw new Error(`Expected one problem, got: ${problems.map(problemText).join('\n')}`);
  }
  return problemText(first);
}
