import type { AxisSpec } from '../config/sweep/sweep-axes.ts';
import { nearestName } from '../model/nearest-name.ts';
import { printable } from '../model/printable.ts';
import {
  describeParam,
  type IntParam,
  type NumberParam,
  type ParamDeclaration,
  type ParamDeclarations,
  type RatioParam,
  resolveParams,
} from '../strategy/params.ts';
import { ResearchError } from './research-error.ts';

/** Value of a parameter. */
export type AxisValue = number | boolean | string;

/** A parameter that a sweep varies: over listed values, or over all numbers between two bounds. */
export type Axis =
  | { readonly kind: 'listed'; readonly name: string; readonly values: readonly AxisValue[] }
  | { readonly kind: 'continuous'; readonly name: string; readonly from: number; readonly to: number };

/** Maximum number of axes of a sweep: the Sobol sequence has direction numbers for as many. */
export const AXES_MAX = 21;
const VALUES_MAX = 10_000;

/**
 * Returns the axes of a sweep in the given order. Absent bounds and steps are those that the strategy declares.
 * Throws ResearchError for an undeclared parameter and for values that it does not accept.
 */
export function axesOf(
  specs: Readonly<Record<string, AxisSpec>>,
  declared: ParamDeclarations,
): readonly Axis[] {
  const entries = Object.entries(specs);
  if (entries.length === 0)
    throw new ResearchError(
      `Cannot sweep without an axis: write "--set NAME=FROM..TO:STEP", or "sweep:" in the YAML; the strategy declares ${declaredText(declared)}`,
    );
  if (entries.length > AXES_MAX)
    throw new ResearchError(`Cannot sweep ${entries.length} axes, want at most ${AXES_MAX}`);
  return entries.map(([name, spec]) => {
    const declaration = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (declaration === undefined) {
      const nearest = nearestName(name, Object.keys(declared));
      const hint = nearest === undefined ? '' : `, did you mean "${nearest}"?`;
      throw new ResearchError(
        `Cannot sweep "${printable(name)}": it is not a parameter of the strategy${hint} (it declares ${declaredText(declared)})`,
      );
    }
    return spec.kind === 'values' ? listed(name, spec.values, declaration) : ranged(name, spec, declaration);
  });
}

function declaredText(declared: ParamDeclarations): string {
  const texts = Object.entries(declared).map(([name, each]) => `${name}: ${describeParam(each)}`);
  return texts.length === 0 ? 'no parameters' : texts.join('; ');
}

function listed(name: string, values: readonly AxisValue[], declaration: ParamDeclaration): Axis {
  if (values.length > VALUES_MAX) throw tooMany(name, values.length);
  const checked = values.map((value) => {
    const resolved = resolveParams({ [name]: declaration }, { [name]: value });
    const known = resolved.kind === 'ok' ? resolved.values[name] : undefined;
    if (known !== undefined) return known;
    throw new ResearchError(
      `Cannot sweep "${name}" over "${printable(String(value))}", want ${describeParam(declaration)}`,
    );
  });
  const unique = [...new Set(checked)];
  const isOrdered = unique.every((value) => typeof value === 'number');
  return {
    kind: 'listed',
    name,
    values: isOrdered ? unique.toSorted((one, other) => Number(one) - Number(other)) : unique,
  };
}

type Range = Extract<AxisSpec, { kind: 'range' }>;

function ranged(name: string, range: Range, declaration: ParamDeclaration): Axis {
  if (declaration.kind === 'boolean' || declaration.kind === 'choice') {
    if (range.from === undefined && range.to === undefined && range.step === undefined)
      return listed(name, declaration.kind === 'boolean' ? [false, true] : declaration.choices, declaration);
    throw new ResearchError(
      `Cannot sweep "${name}" over a range, want values of ${describeParam(declaration)}, such as "${name}=${
        declaration.kind === 'boolean' ? 'false,true' : declaration.choices.slice(0, 2).join(',')
      }"`,
    );
  }
  return numbers(name, range, declaration);
}

function numbers(name: string, range: Range, declaration: IntParam | NumberParam | RatioParam): Axis {
  const { from = declaration.min, to = declaration.max } = range;
  const step = range.step ?? declaration.step ?? (declaration.kind === 'int' ? 1 : undefined);
  for (const bound of [from, to]) listed(name, [bound], declaration);
  if (from > to)
    throw new ResearchError(`Cannot sweep "${name}" from ${from} to ${to}, want the lower bound first`);
  if (step === undefined) {
    if (from === to) return { kind: 'listed', name, values: [from] };
    return { kind: 'continuous', name, from, to };
  }
  if (!(step > 0) || (declaration.kind === 'int' && !Number.isInteger(step))) {
    const wanted = declaration.kind === 'int' ? 'a whole number above 0' : 'a number above 0';
    throw new ResearchError(`Cannot sweep "${name}" by a step of ${step}, want ${wanted}`);
  }
  // A billionth of a step is a rounding error of the division, not a missing value.
  const count = Math.floor((to - from) / step + 1e-9) + 1;
  if (count > VALUES_MAX) throw tooMany(name, count);
  const digits = Math.max(decimalsOf(from), decimalsOf(step));
  return {
    kind: 'listed',
    name,
    values: Array.from({ length: count }, (_, at) => Number((from + at * step).toFixed(digits))),
  };
}

function tooMany(name: string, count: number): ResearchError {
  return new ResearchError(
    `Cannot sweep "${name}" over ${count} values, want at most ${VALUES_MAX}: write a larger step`,
  );
}

/** Number of decimal places of a number, at most 12. */
function decimalsOf(value: number): number {
  for (let digits = 0; digits < 12; digits += 1) if (Number(value.toFixed(digits)) === value) return digits;
  return 12;
}
