import { usualRoots } from '../../config/plugins/plugin-loader.ts';
import { loadUsed } from '../../config/plugins/used-plugins.ts';
import { pluginsInSimulation, readSimulation } from '../../config/read-simulation.ts';
import { fillModelFacts } from '../../plugins/guarded-fills.ts';
import type { SimulationRules } from '../../simulation/rules.ts';
import { openFillProcess } from '../plugins/fill-process.ts';
import { isolated } from './read-isolated.ts';

/** Rules of a simulated market, with the function that ends the process of its fill model. */
export interface OpenedSimulation {
  readonly rules: SimulationRules;
  close(): Promise<void>;
}

/**
 * Reads a `simulation` section in JSON, and starts its fill model in a separate process. Throws ConfigError with all
 * its problems.
 */
export async function openSimulation(written: string, project: string): Promise<OpenedSimulation> {
  const roots = usualRoots(project);
  const { lookup, loaded } = await loadUsed(pluginsInSimulation(written), { roots, read: isolated });
  const { rules, fills } = readSimulation(written, { plugins: lookup });
  if (fills === undefined) return { rules, close: async () => undefined };
  const { use, params } = fills;
  const { facts, file } = loaded.get('fill-model', use);
  const { close, ...hooks } = await openFillProcess({ use, params, file });
  return {
    rules: { ...rules, fills: { ...rules.fills, own: { ...fillModelFacts(use, facts, params), ...hooks } } },
    close,
  };
}
