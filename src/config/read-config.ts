import { omitUndefined } from '../model/omit-undefined.ts';
import type { TradingSessions } from '../model/trading-sessions.ts';
import { USUAL_EVENTS } from '../plugins/define-notifier.ts';
import type { OtherKind } from '../plugins/plugin-facts.ts';
import { defaultLimits, type RiskLimits } from '../risk/limits.ts';
import { type ParamDeclarations, resolveParams } from '../strategy/params.ts';
import type { BotConfig, MemberConfig, PluginUse, SimulationConfig } from './bot-config.ts';
import { crossProblems, memberName, unusedUpstream } from './checks/cross-checks.ts';
import { fitWarnings } from './checks/fit-warnings.ts';
import { limitWarnings } from './checks/limit-warnings.ts';
import { pastFindings } from './checks/past-checks.ts';
import { eventWarnings, secretWarnings } from './checks/plugin-checks.ts';
import { shapeProblems } from './checks/shape-problems.ts';
import { partsOf } from './config-parts.ts';
import type { ConfigProblem } from './config-problem.ts';
import { type ConfigLookups, NO_SECURITIES } from './lookups.ts';
import { type ParsedBot, type ParsedSeveral, schemaFor } from './schema/bot-schema.ts';
import type { WrittenUse } from './schema/plugin-use.ts';
import { DEFAULT_SIMULATION } from './schema/simulation-schema.ts';
import { type ConfigChain, readChain } from './yaml/extended-tree.ts';
import { valueAt } from './yaml/tree-value.ts';

/** A valid config with its warnings, or all its problems in the order of the file. */
export type ConfigReading =
  | { readonly kind: 'ok'; readonly config: BotConfig; readonly warnings: readonly ConfigProblem[] }
  | { readonly kind: 'problems'; readonly problems: readonly ConfigProblem[] };

/** Reads a strategy YAML: syntax, shape, units, bounds and consistency; returns all mistakes in one list. */
export function readBotConfig(source: ConfigChain, lookups: ConfigLookups): ConfigReading {
  const tree = readChain(source);
  if (tree.value === undefined) return { kind: 'problems', problems: tree.problems };
  const where = { file: source.path, tree };
  const reportedPaths = new Set(tree.problems.map((problem) => problem.path));
  const parts = partsOf(tree.value);
  const parsed = schemaFor(tree.value).safeParse(tree.value);
  const others = [...shapeProblems(where, parsed), ...crossProblems(where, parts, lookups)];
  const problems = [...tree.problems, ...others.filter((problem) => !reportedPaths.has(problem.path))];
  if (problems.length > 0 || !parsed.success) {
    return { kind: 'problems', problems: problems.toSorted(byPlace) };
  }
  const config = assemble(source.path, parsed.data, lookups, tree.value);
  const views =
    config.members.length === 0 ? [config] : config.members.map((member) => ({ ...config, ...member }));
  const catalogue = config.data === undefined ? NO_SECURITIES : lookups.securities(config.data.dir);
  const past =
    catalogue.past === undefined
      ? { problems: [], warnings: [] }
      : pastFindings(where, config, catalogue.past);
  if (past.problems.length > 0) return { kind: 'problems', problems: past.problems.toSorted(byPlace) };
  const warnings = [
    ...views.flatMap((view, at) =>
      limitWarnings(where, view, declaredBy(view.strategy, lookups), parts.members[at]?.path ?? []),
    ),
    ...fitWarnings(where, config, catalogue),
    ...past.warnings,
    ...eventWarnings(where, config, lookups),
    ...(lookups.isSet === undefined ? [] : secretWarnings(where, config, lookups.isSet)),
    // With `data`, a backtest of the same config uses them.
    ...unusedUpstream(where, parts),
  ];
  return { kind: 'ok', config, warnings: warnings.toSorted(byPlace) };
}

function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

function declaredBy(strategy: string, lookups: ConfigLookups): ParamDeclarations {
  const found = lookups.strategies(strategy);
  return found.kind === 'ok' ? found.params : {};
}

function assemble(path: string, parsed: ParsedSeveral, lookups: ConfigLookups, tree: unknown): BotConfig {
  const { account } = parsed;
  const execution = executionOf(parsed.execution);
  const members = (parsed.strategies ?? []).map(
    (entry): MemberConfig => ({
      name: memberName({ name: entry.name, strategy: entry.strategy }) ?? entry.strategy,
      strategy: entry.strategy,
      symbols: entry.symbols,
      params: paramsOf(entry, lookups),
      limits: writtenIn(entry.risk ?? {}),
      execution: entry.execution === undefined ? execution : executionOf(entry.execution),
    }),
  );
  const [first] = members;
  const one = { strategy: parsed.strategy ?? first?.strategy ?? '', params: parsed.params };
  return {
    path,
    mode: parsed.mode,
    strategy: one.strategy,
    members,
    symbols: parsed.symbols ?? [...new Set(members.flatMap(({ symbols }) => symbols))],
    period: parsed.period,
    sessions: parsed.sessions,
    isolation: parsed.isolation,
    params: first?.params ?? paramsOf(one, lookups),
    account: {
      currency: account.currency,
      cash: account.cash ?? {},
      fx: account.fx ?? {},
      ...omitUndefined({ fxSeries: account.fxSeries }),
    },
    data: parsed.data,
    risk: limitsOf(parsed),
    rules: (parsed.risk?.rules ?? []).map((written) => used('risk-rule', written, lookups)),
    notify: (parsed.notify ?? []).map((written) => ({
      ...used('notifier', written, lookups),
      secrets: written.secrets ?? {},
      events: written.events ?? USUAL_EVENTS,
    })),
    execution,
    paper: parsed.paper ?? { kind: 'stepped' },
    broker: parsed.broker,
    ...(parsed.broker?.onlyDocumented === true ? { onlyDocumented: true } : {}),
    schedule: parsed.schedule ?? {},
    charges: parsed.charges,
    ...(parsed.sweep === undefined ? {} : { sweep: { ...parsed.sweep, axes: parsed.sweep.axes ?? {} } }),
    simulation: holding(
      parsed.sessions,
      parsed.simulation === undefined
        ? DEFAULT_SIMULATION
        : {
            rules: parsed.simulation.rules,
            fills:
              parsed.simulation.fills === undefined
                ? undefined
                : used('fill-model', parsed.simulation.fills, lookups),
            written: JSON.stringify(valueAt(tree, ['simulation'])),
          },
    ),
  };
}

/**
 * Adds the bot's sessions to the rules of the simulated market; the text carries them to a venue in another process.
 */
function holding(sessions: TradingSessions, { rules, fills, written }: SimulationConfig): SimulationConfig {
  const { sessions: before = 'regular', ...model } = rules.fills;
  if (sessions === before) return { rules, fills, written };
  const others = { ...JSON.parse(written), sessions };
  const held = sessions === 'regular' ? {} : { sessions };
  return { rules: { ...rules, fills: { ...model, ...held } }, fills, written: JSON.stringify(others) };
}

function executionOf(execution: ParsedBot['execution']): BotConfig['execution'] {
  return {
    orderType: execution?.orderType ?? 'MO',
    offsetTicks: execution?.offset ?? 0,
    cancelAfterMs: execution?.cancelAfter,
    ...(execution?.outsideRth === undefined || execution.outsideRth === 'rth-only'
      ? {}
      : { outsideRth: execution.outsideRth }),
    ...(execution?.exclusive === true ? { exclusive: true } : {}),
    ...(execution?.missedSlices === 'spread' ? { missedSlices: execution.missedSlices } : {}),
    whenStrategyFails: execution?.whenStrategyFails ?? 'cancel',
  };
}

function paramsOf(
  parsed: Pick<ParsedBot, 'strategy' | 'params'>,
  lookups: ConfigLookups,
): BotConfig['params'] {
  const found = lookups.strategies(parsed.strategy);
  const resolved = found.kind === 'ok' ? resolveParams(found.params, parsed.params ?? {}) : undefined;
  if (resolved?.kind !== 'ok') throw new Error('Parameters that were found right no longer are');
  return resolved.values;
}

function used(
  kind: OtherKind,
  { use, params }: Pick<WrittenUse, 'use' | 'params'>,
  lookups: ConfigLookups,
): PluginUse {
  const found = lookups.plugins?.(kind, use);
  if (found === undefined) return { use, params: params ?? {} };
  const resolved = found.kind === 'ok' ? resolveParams(found.params, params ?? {}) : undefined;
  if (resolved?.kind !== 'ok') throw new Error(`Parameters of "${use}" that were found right no longer are`);
  return { use, params: resolved.values };
}

/** The strict default limits, overridden by the config. */
function limitsOf({ account, risk = {} }: Pick<ParsedBot, 'account' | 'risk'>): RiskLimits {
  const { rules: _rules, ...limits } = risk;
  return { ...defaultLimits(account.currency), ...writtenIn(limits) };
}

/** Returns the given limits only. */
function writtenIn<T extends object>(limits: T): { readonly [K in keyof T]: NonNullable<T[K]> } {
  const written = Object.entries(limits).filter(([, value]) => value !== undefined);
  return Object.fromEntries(written) as { readonly [K in keyof T]: NonNullable<T[K]> };
}
