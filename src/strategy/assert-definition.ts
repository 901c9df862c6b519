import { nearestName } from '../model/nearest-name.ts';
import type { ParamDeclaration } from './params.ts';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

const PARAM_KINDS: ReadonlySet<unknown> = new Set<ParamDeclaration['kind']>([
  'int',
  'number',
  'ratio',
  'boolean',
  'choice',
]);

/**
 * Checks the declaration of a plugin of any kind at run time: authors may write JavaScript, and Node.js runs
 * TypeScript without checking types. Throws TypeError for a name that a YAML file cannot refer to, for a property that
 * is none of `known`, such as a misspelt one, which would be ignored silently, and for undeclared parameters.
 */
export function assertDefinition(
  noun: string,
  definition: unknown,
  { example, known }: { readonly example: string; readonly known: readonly string[] },
): void {
  if (typeof definition !== 'object' || definition === null)
    throw new TypeError(`Cannot define ${noun}: want an object such as { name: '${example}', ... }`);
  const { name, params } = definition as { readonly name?: unknown; readonly params?: unknown };
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError(
      `Cannot define ${noun} "${String(name)}": want a kebab-case name such as "${example}"`,
    );
  const problem = unknownProperty(definition, known) ?? paramsProblem(params);
  if (problem !== undefined) throw new TypeError(`Cannot define ${noun} "${name}": ${problem}`);
}

function unknownProperty(definition: object, known: readonly string[]): string | undefined {
  const odd = Object.keys(definition).find((property) => !known.includes(property));
  if (odd === undefined) return undefined;
  const suggestion = nearestName(odd, known);
  const guess = suggestion === undefined ? '' : `, did you mean "${suggestion}"?`;
  return `there is no "${odd}" (${known.join(', ')})${guess}`;
}

function paramsProblem(params: unknown): string | undefined {
  if (params === undefined) return undefined;
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    return 'its "params" are no object, such as { bars: param.int({ ... }) }; leave them out where there are none';
  for (const [name, declared] of Object.entries(params)) {
    const declaration = declared as ParamDeclaration | undefined | null;
    if (!PARAM_KINDS.has(declaration?.kind))
      return `parameter "${name}" is not declared with param.int, param.number, param.ratio, param.boolean or param.choice`;
    const missing = missingFigure(declaration as ParamDeclaration);
    if (missing !== undefined) return `parameter "${name}" has no number as its "${missing}"`;
    const bounds = badBounds(declaration as ParamDeclaration);
    if (bounds !== undefined) return `parameter "${name}" has ${bounds}`;
  }
  return undefined;
}

/**
 * Returns the first bound or default that is not a number; undefined if all are numbers, and for other kinds of
 * parameters.
 */
function missingFigure(declaration: ParamDeclaration): string | undefined {
  if (declaration.kind === 'boolean' || declaration.kind === 'choice') return undefined;
  const { min, max, default: usual } = declaration;
  return Object.entries({ min, max, default: usual }).find(([, figure]) => typeof figure !== 'number')?.[0];
}

/** Describes bounds that no value fits, or a default outside of them. */
function badBounds(declaration: ParamDeclaration): string | undefined {
  if (declaration.kind === 'boolean' || declaration.kind === 'choice') return undefined;
  const { min, max, default: usual } = declaration;
  if (min > max) return `a "min" of ${min} above its "max" of ${max}`;
  return usual < min || usual > max ? `a default of ${usual}, want one from ${min} to ${max}` : undefined;
}
