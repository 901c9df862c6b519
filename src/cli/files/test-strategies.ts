import { extname, relative, resolve } from 'node:path';
import { checkConfig } from '../../app/load/check-config.ts';
import { guardedSource } from '../../app/plugins/plugin-source.ts';
import { ConfigError } from '../../config/config-error.ts';
import { findPluginFile, namesOfKind } from '../../config/plugins/plugin-files.ts';
import { readStrategy, usualRoots } from '../../config/plugins/plugin-loader.ts';
import { rememberReads } from '../../config/remembered.ts';
import { nearestName } from '../../model/nearest-name.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Period } from '../../model/period.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { beside } from '../../reports/format.ts';
import type { Ink } from '../../reports/ink.ts';
import { SITUATIONS, type SituationName } from '../../testing/situations.ts';
import { type Trial, type TrialSetting, tryStrategy } from '../../testing/try-strategy.ts';
import type { CommandContext } from '../command-context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type SandboxJob, sandboxed } from '../sandbox/sandboxed.ts';
import { UsageError } from '../usage-error.ts';

/** Options of `sluice test`. */
export interface TestOptions {
  readonly situations: string;
  readonly config?: string;
  readonly symbol?: readonly SecuritySymbol[];
  readonly period?: Period;
  readonly json?: boolean;
  readonly hookTimeout?: number;
}

/** Result of testing one strategy. */
export interface NamedTrial extends Trial {
  readonly strategy: string;
}

/**
 * Tests strategies one after the other, all in one sandboxed process. Throws ConfigError for an invalid config,
 * UsageError for conflicting flags; undefined if the sandboxed process has printed the error.
 */
export async function testStrategies(
  names: readonly string[],
  { hookTimeout, ...options }: TestOptions,
  context: CommandContext,
): Promise<{ readonly code: ExitCode; readonly trials: readonly NamedTrial[] }> {
  const { project } = context;
  const setting = await settingOf(options, project);
  let trials: readonly NamedTrial[] = [];
  const task = { command: 'test', names: names.map((name) => asNameOrPath(name, project)), setting } as const;
  const code = await sandboxed(task, context, {
    callSeconds: hookTimeout,
    onResult: (result) => {
      if (result['kind'] === 'trials' && Array.isArray(result['trials'])) trials = result['trials'];
    },
  });
  return { code, trials };
}

/** The same inside that process; `ready` resolves when code of strategies may be loaded. */
export async function runTrials(
  { names, setting, project }: Extract<SandboxJob, { command: 'test' }>,
  ready: () => Promise<void>,
): Promise<readonly NamedTrial[]> {
  rememberReads();
  const roots = usualRoots(project);
  // Finds all files while files may still be searched.
  for (const name of names) {
    findPluginFile('strategy', name, roots);
    namesOfKind('strategy', roots);
  }
  let closed: Promise<void> | undefined;
  const { strategies } = guardedSource(() => (closed ??= ready()));
  const trials: NamedTrial[] = [];
  for (const name of names) {
    const loaded = await readStrategy(strategies, name, roots);
    if (loaded.kind === 'problem') throw new UsageError(`Cannot load strategy: ${loaded.message}`);
    try {
      trials.push({ strategy: loaded.strategy.name, ...tryStrategy(loaded.strategy, setting) });
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError) throw new UsageError(error.message);
      throw error;
    }
  }
  return trials;
}

/** Columns before the description of a situation. */
const DAY_CELLS = 25;
const FINDING_CELLS = 9;

function findingText(kind: string, message: string, ink: Ink): string {
  return beside(' '.repeat(FINDING_CELLS), `${kind}: ${message}`).replace(kind, ink.bold(kind));
}

/** Formats the result of a test as lines. */
export function trialText({ strategy, tried, skipped, findings }: NamedTrial, ink: Ink): string {
  const lines = tried.flatMap((name) => {
    const wrong = findings.filter(({ situation }) => situation === name);
    const what = name === 'calm' ? 'A market of waves in which nothing goes wrong' : SITUATIONS[name];
    const mark = wrong.length === 0 ? ink.good('ok   ') : ink.bad('WRONG');
    const head = beside(`  ${mark}  ${name.padEnd(14)}  `, what, DAY_CELLS);
    return [head, ...wrong.map(({ kind, message }) => findingText(kind, message, ink))];
  });
  const left = skipped.map((name) => `  -      ${name.padEnd(14)}  not in this market`);
  const sum = findings.length === 0 ? 'nothing wrong' : `${findings.length} found`;
  const days = tried.length === 1 ? '1 day' : `${tried.length} days`;
  return `${[`${ink.bold(strategy)}: ${sum} on ${days}`, ...lines, ...left].join('\n')}\n`;
}

/** Paths start with "./" or not; names remain unchanged. */
function asNameOrPath(name: string, project: string): string {
  if (extname(name) === '') return name;
  const path = relative(project, resolve(project, name));
  return path.startsWith('..') ? path : `./${path}`;
}

async function settingOf(options: TestOptions, project: string): Promise<TrialSetting> {
  const { config, symbol, period } = options;
  const own = {
    ...omitUndefined({ symbols: symbol, period }),
    situations: situationsOf(options.situations),
  };
  if (config === undefined) return own;
  const loaded = await checkConfig(config, project);
  if (loaded.kind === 'problems') throw new ConfigError(loaded.problems);
  const { params, symbols: traded, period: covered } = loaded.config;
  return { params, symbols: traded, period: covered, ...own };
}

function situationsOf(text: string): readonly SituationName[] {
  const known = Object.keys(SITUATIONS) as SituationName[];
  if (text === 'all') return known;
  return text.split(',').map((written) => {
    const found = known.find((name) => name === written.trim());
    if (found !== undefined) return found;
    const nearest = nearestName(written, known);
    const hint = nearest === undefined ? `want ${known.join(', ')}` : `did you mean "${nearest}"?`;
    throw new UsageError(`"${written}" is no situation, ${hint}`);
  });
}
