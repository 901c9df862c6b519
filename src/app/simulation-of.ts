import { usualRoots } from '../config/plugin-loader.ts';
import { pluginsInSimulation, readSimulation } from '../config/read-simulation.ts';
import { loadUsed } from '../config/used-plugins.ts';
import type { SimulationRules } from '../simulation/rules.ts';
import { withOwnFills } from './load-run.ts';

/**
 * Reads a `simulation` section written as JSON, and loads the fill model that it names. Throws ConfigError with everything
 * that is wrong in it.
 */
export async function simulationOf(written: string, project: string): Promise<SimulationRules> {
  const { lookup, loaded } = await loadUsed(pluginsInSimulation(written), usualRoots(project));
  const { rules, fills } = readSimulation(written, { plugins: lookup });
  return fills === undefined ? rules : withOwnFills(rules, fills, loaded.get('fill-model', fills.use).plugin);
}
