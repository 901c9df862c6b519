import { z } from 'zod';
import type { SimulationConfig } from './bot-config.ts';
import { ConfigError } from './config-error.ts';
import { shapeProblems } from './shape-problems.ts';
import { simulationSchema } from './simulation-schema.ts';
import { readYaml } from './yaml-tree.ts';

const FILE = 'the rules of a simulation';

const onlySimulation = z.strictObject({ simulation: simulationSchema });

/** Reads a `simulation` section written as JSON. Throws ConfigError with everything that is wrong in it. */
export function readSimulation(written: string): SimulationConfig['rules'] {
  const tree = readYaml({ path: FILE, text: `{"simulation": ${written}}` });
  const problems = [...tree.problems, ...shapeProblems({ file: FILE, tree }, onlySimulation)];
  if (problems.length > 0) throw new ConfigError(problems);
  return onlySimulation.parse(tree.value).simulation;
}
