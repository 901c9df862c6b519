import { z } from 'zod';
import { once } from '../model/once.ts';
import { resolveParams } from '../strategy/params.ts';
import type { SimulationConfig } from './bot-config.ts';
import { pluginProblems } from './checks/plugin-checks.ts';
import { shapeProblems } from './checks/shape-problems.ts';
import { ConfigError } from './config-error.ts';
import { type UsedPlugin, usesIn } from './config-parts.ts';
import type { ConfigLookups } from './lookups.ts';
import { simulationSchema } from './schema/simulation-schema.ts';
import type { LocatedTree } from './yaml/located.ts';
import { readYaml } from './yaml/yaml-tree.ts';

const FILE = 'the rules of a simulation';

const onlySimulation = once(() => z.strictObject({ simulation: simulationSchema() }));

/** Returns the fill model of a `simulation` section in JSON, even if other parts are wrong. */
export function pluginsInSimulation(written: string): readonly UsedPlugin[] {
  return usesIn(treeOf(written).tree.value);
}

/** Reads a `simulation` section in JSON. Throws ConfigError with all its problems. */
export function readSimulation(
  written: string,
  lookups: Pick<ConfigLookups, 'plugins'> = {},
): Omit<SimulationConfig, 'written'> {
  const where = treeOf(written);
  const { tree } = where;
  const uses = usesIn(tree.value);
  const parsed = onlySimulation().safeParse(tree.value);
  const problems = [
    ...tree.problems,
    ...shapeProblems(where, parsed),
    ...pluginProblems(where, uses, lookups),
  ];
  if (problems.length > 0 || !parsed.success) throw new ConfigError(problems);
  const { rules, fills } = parsed.data.simulation;
  if (fills === undefined) return { rules, fills };
  const found = lookups.plugins?.('fill-model', fills.use);
  const resolved = found?.kind === 'ok' ? resolveParams(found.params, fills.params ?? {}) : undefined;
  if (resolved?.kind !== 'ok') throw new Error(`Fill model "${fills.use}" was named but not loaded`);
  return { rules, fills: { use: fills.use, params: resolved.values } };
}

function treeOf(written: string): LocatedTree {
  return { file: FILE, tree: readYaml({ path: FILE, text: `{"simulation": ${written}}` }) };
}
