import { isAbsolute, join, resolve } from 'node:path';
import { warmupText } from '../../backtest/bar-texts.ts';
import type { BotConfig, DataConfig } from '../../config/bot-config.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { namesOfKind, strategyNames } from '../../config/plugins/plugin-files.ts';
import { readPluginFacts, readStrategy, usualRoots } from '../../config/plugins/plugin-loader.ts';
import { pluginNames, readPlugin } from '../../config/plugins/plugin-packages.ts';
import { checkStore } from '../../market-data/check-store.ts';
import { DataError } from '../../market-data/data-error.ts';
import { dayOf } from '../../markets/sessions.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { millis } from '../../model/time.ts';
import { PLUGIN_KINDS } from '../../plugins/kinds.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { checkConfig } from '../load/check-config.ts';
import { isolatedUnlessShipped, readIsolated } from '../load/read-isolated.ts';
import { warmupOf } from '../load/warmup.ts';
import { openStore } from '../storage/open-store.ts';
import { configFiles } from './check-machine.ts';
import { type Diagnosis, fault, type Installation, note } from './diagnosis.ts';

/** Checks every config of the project with its strategy and its data, and strategies that no config uses. */
export async function checkConfigs({ project, environment }: Installation): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = [];
  for (const path of configFiles(project)) {
    let loaded: Awaited<ReturnType<typeof checkConfig>>;
    try {
      loaded = await checkConfig(join(project, path), project, { environment });
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      found.push(fault('data', `data-${error.code}`, `${path}: ${firstLine(error)}`, 'sluice data check'));
      continue;
    }
    if (loaded.kind === 'problems') found.push(...loaded.problems.map((problem) => ofProblem(path, problem)));
    else {
      found.push(
        ...loaded.warnings.map(({ code, message, wanted }) =>
          code === 'missing'
            ? fault('secrets', 'secret-not-set', `${path}: ${message}`, `want ${wanted}`)
            : note('config', 'beyond-limit', `${path}: ${message}`, `want ${wanted}`),
        ),
        ...checkData(path, loaded.config, await warmupOf(loaded.config, loaded), project),
      );
    }
  }
  return [...found, ...(await checkStrategies(project, found)), ...(await checkPlugins(project, found))];
}

/** Context of a mistake in a YAML. */
function ofProblem(path: string, { code, message, line, column, wanted }: ConfigProblem): Diagnosis {
  // The advice states what is required, so the text need not.
  const text = `${path}:${line}:${column}: ${message.replace(`, want ${wanted}`, '')}`;
  if (code === 'unknown-strategy' || code === 'bad-strategy')
    return fault('strategy', code, text, `want ${wanted}`);
  if (code === 'unknown-plugin' || code === 'bad-plugin')
    return fault('plugin', code, text, `want ${wanted}`);
  return fault(code === 'unknown-symbol' ? 'data' : 'config', code, text, `want ${wanted}`);
}

/** Checks strategies that cannot be loaded, unless already reported with a config that uses them. */
async function checkStrategies(
  project: string,
  diagnoses: readonly Diagnosis[],
): Promise<readonly Diagnosis[]> {
  const roots = usualRoots(project);
  const found: Diagnosis[] = [];
  for (const name of strategyNames(roots)) {
    const loaded = await readStrategy(readIsolated, name, roots);
    if (loaded.kind === 'ok' || diagnoses.some(({ message }) => message.includes(loaded.message))) continue;
    const fix = `correct strategies/${name}, or remove it`;
    found.push(fault('strategy', `strategy-${loaded.code}`, loaded.message, fix));
  }
  return found;
}

/** Checks incompatible packages, and other plugins that cannot be loaded, unless already reported with a config. */
async function checkPlugins(project: string, diagnoses: readonly Diagnosis[]): Promise<readonly Diagnosis[]> {
  const roots = usualRoots(project);
  const isTold = (text: string): boolean => diagnoses.some(({ message }) => message.includes(text));
  const found: Diagnosis[] = [];
  for (const name of pluginNames(project)) {
    const reading = readPlugin(project, name);
    if (reading.kind === 'ok' || isTold(reading.message)) continue;
    found.push(
      fault('plugin', 'plugin-package', reading.message, `npm update ${name}, or npm uninstall ${name}`),
    );
  }
  for (const kind of ['risk-rule', 'fill-model', 'notifier', 'objective'] as const) {
    for (const name of namesOfKind(kind, roots)) {
      const loaded = await readPluginFacts(isolatedUnlessShipped, kind, name, roots);
      if (loaded.kind === 'ok' || isTold(loaded.message)) continue;
      const fix = `correct ${PLUGIN_KINDS[kind].folder}/${name}, or remove it`;
      found.push(fault('plugin', `plugin-${loaded.code}`, loaded.message, fix));
    }
  }
  return found;
}

type Replayed = BotConfig & { readonly data: DataConfig };

function checkData(path: string, config: BotConfig, warmup: number, project: string): readonly Diagnosis[] {
  const { data } = config;
  if (data === undefined) return [];
  const replayed = { ...config, data };
  return config.symbols.flatMap((symbol) => {
    try {
      return [
        ...checkBars(path, replayed, symbol, warmup, project),
        ...checkBarFiles(path, replayed, symbol, project),
      ];
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      return [
        fault('data', `data-${error.code}`, `${path}: ${firstLine(error)}`, `sluice data check ${symbol}`),
      ];
    }
  });
}

function checkBars(
  path: string,
  { period, data }: Replayed,
  symbol: SecuritySymbol,
  warmup: number,
  project: string,
): readonly Diagnosis[] {
  const bars = openStore(project, data.dir).bars(symbol, period);
  const market = marketOf(symbol);
  const [first, last] = [bars.time.at(0), bars.time.at(-1)];
  if (first === undefined || last === undefined || dayOf(market, millis(last)) < data.from) {
    const message = `${path}: ${symbol} has no bars of ${period} from ${data.from} on`;
    return [fault('data', 'no-bars', message, `sluice data download or import, or another "data.from"`)];
  }
  const found: Diagnosis[] = [];
  const short = warmupText(bars, data, warmup);
  if (short !== undefined)
    found.push(note('data', 'short-warmup', `${path}: ${short}`, 'begin later, or import earlier bars'));
  const end = dayOf(market, millis(last));
  if (daysBetween(end, data.to) > LATE_DAYS) {
    const message = `${path}: bars of ${symbol} end on ${end}, "data.to" is ${data.to}`;
    found.push(note('data', 'ends-early', message, 'download what is missing, or set "data.to" to that day'));
  }
  return found;
}

/** Days without bars that count as a gap; fewer may be holidays. */
const LATE_DAYS = 7;

function daysBetween(one: string, other: string): number {
  return (Date.parse(other) - Date.parse(one)) / 86_400_000;
}

/** Finds bars that mislead a backtest: duplicates, out of order, impossible. */
function checkBarFiles(
  path: string,
  { data, period }: Replayed,
  symbol: SecuritySymbol,
  project: string,
): readonly Diagnosis[] {
  const dir = isAbsolute(data.dir) ? data.dir : resolve(project, data.dir);
  if (!openStore(project, data.dir).symbols().includes(symbol)) return [];
  try {
    return [...checkStore({ dir, symbols: [symbol], period, now: createSystemClock().now() })].flatMap(
      (file) => {
        if (file.errors === 0) return [];
        const first = file.findings.find(({ severity }) => severity === 'error');
        const message = `${path}: ${symbol} has ${file.errors} invalid lines, the first: ${first?.message ?? ''}`;
        return [fault('data', 'unsound-data', message, `sluice data check ${symbol}`)];
      },
    );
  } catch (error) {
    // Data of the package is outside the project and was checked when it was generated.
    if (error instanceof DataError && error.code === 'unknown-symbol') return [];
    throw error;
  }
}

function firstLine(error: Error): string {
  return error.message.split('\n')[0] ?? '';
}
