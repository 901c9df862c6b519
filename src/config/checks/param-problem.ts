import { nearestName } from '../../model/nearest-name.ts';
import { printable } from '../../model/printable.ts';
import type { ParamProblem } from '../../strategy/params.ts';
import { type ConfigPath, type ConfigProblem, suggestion } from '../config-problem.ts';
import { badValue, type LocatedTree, located } from '../yaml/located.ts';

/**
 * Describes a parameter value that its declaration does not accept; `of` names the place and the owner of the
 * parameters.
 */
export function paramProblem(
  where: LocatedTree,
  problem: ParamProblem,
  names: readonly string[],
  of: { readonly path: ConfigPath; readonly noun: string },
): ConfigProblem {
  const { name, value, wanted } = problem;
  const path = [...of.path, name];
  if (names.includes(name)) return badValue(where, path, value, wanted, { code: 'bad-param' });
  const nearest = nearestName(name, names);
  return located(where, {
    code: 'bad-param',
    path,
    at: 'key',
    value: name,
    wanted: `a parameter of the ${of.noun} (${names.join(', ')})`,
    nearest,
    what: `"${printable(name)}" is not a parameter of this ${of.noun}, ${suggestion(nearest, names)}`,
  });
}
