import { factsHere, usualRoots } from '../config/plugin-loader.ts';
import { pluginsInSimulation, readSimulation } from '../config/read-simulation.ts';
import { loadUsed } from '../config/used-plugins.ts';
import type { SimulationRules } from '../simulation/rules.ts';
import { ownFills } from './plugin-source.ts';

/**
 * Reads a `simulation` section written as JSON, and loads the fill model that it names. Throws ConfigError with everything
 * that is wrong in it.
 */
export async function simulationOf(written: string, project: string): Promise<SimulationRules> {
  const roots = usualRoots(project);
  const { lookup } = await loadUsed(pluginsInSimulation(written), { roots, read: factsHere });
  const { rules, fills } = readSimulation(written, { plugins: lookup });
  if (fills === undefined) return rules;
  return { ...rules, fills: { ...rules.fills, own: await ownFills(fills, roots) } };
}
