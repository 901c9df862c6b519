import { startOf } from '../../backtest/setup.ts';
import { partsOf } from '../../config/config-parts.ts';
import { rememberReads } from '../../config/remembered.ts';
import { valueAt } from '../../config/yaml/tree-value.ts';
import { openProcess, openThread, type SandboxedProgram } from '../../hosts/sandbox/sandbox-inside.ts';
import { BAR_FIGURES } from '../../model/bar-columns.ts';
import { isPeriod } from '../../model/period.ts';
import type { CalendarDay } from '../../model/time.ts';
import { fxSeriesOf, type SandboxHooks } from '../load/load-run.ts';
import { openStore } from '../storage/open-store.ts';

/** Opens the inside of a sandbox, for programs of the command line. */
export function openSandbox<J extends { readonly callMsMax: number }>(): Promise<SandboxedProgram<J>> {
  return openProcess<J>();
}

/** Saved because user code may replace the global later. */
const { setImmediate } = globalThis;

/** Opens the inside of a thread that runs trials. */
export function openTrialThread<J extends object>(): SandboxedProgram<J> & { readonly thread: number } {
  return openThread<J>(() => new Promise((resolve) => void setImmediate(resolve)));
}

/** Start of market time if no history is known. */
const NO_PAST = 0;

const ROW_BYTES = BAR_FIGURES.length * Float64Array.BYTES_PER_ELEMENT;

/**
 * Creates a loader of configs for the inside of a sandbox. It reads and caches all data that a config names before
 * the process drops its file access; only then are the config's plugins loaded.
 */
export function closingLoader(
  inside: Pick<SandboxedProgram<never>, 'close'>,
  {
    project,
    from,
    seed,
  }: { readonly project: string; readonly from?: CalendarDay | undefined; readonly seed: number },
  /** Resolves once all our code that runs later is loaded. */
  loaded: Promise<unknown>,
): SandboxHooks {
  rememberReads();
  let ready: Promise<void> | undefined;
  let startsAt = NO_PAST;
  let sharedBytes = 0;
  return {
    prepare: (yaml) => {
      const { symbols, dir, from: written } = partsOf(yaml);
      const known = symbols.filter((symbol) => symbol !== undefined);
      const first = from ?? written;
      if (first !== undefined && known.length > 0) startsAt = startOf(known, first);
      if (dir !== undefined) sharedBytes = ROW_BYTES * readPast(project, dir, known, yaml);
      const rates = valueAt(yaml, ['account', 'fxSeries']);
      if (typeof rates === 'object' && rates !== null) preload(() => fxSeriesOf(textsOf(rates), project));
    },
    ready: () => {
      ready ??= loaded.then(() => inside.close({ startsAt, seed, sharedBytes }));
      return ready;
    },
  };
}

/** Reads all data that a config names, and returns the number of its bars. */
function readPast(project: string, dir: string, symbols: readonly string[], yaml: unknown): number {
  const period = valueAt(yaml, ['period']);
  const store = openStore(project, dir);
  const wantsQuotes = valueAt(yaml, ['simulation', 'quotes']) !== undefined;
  let rows = 0;
  preload(() => store.symbols());
  for (const symbol of symbols) {
    preload(() => store.security(symbol));
    preload(() => store.corporateActions(symbol));
    if (typeof period === 'string' && isPeriod(period))
      rows += preload(() => store.bars(symbol, period))?.length ?? 0;
    if (wantsQuotes) preload(() => store.bidAsk(symbol));
  }
  return rows;
}

/** Reads a value into the cache; an error is cached as well, and thrown when the value is used. */
function preload<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // Thrown again on the next read.
    return undefined;
  }
}

function textsOf(value: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === 'string'));
}
