/** A whole number with bounds. */
export interface IntParam {
  readonly kind: 'int';
  readonly min: number;
  readonly max: number;
  readonly default: number;
  readonly doc?: string;
  /** Distance between the values that a sweep tries; default 1. */
  readonly step?: number;
}

/** A number with bounds; `unit` is shown in documentation. */
export interface NumberParam {
  readonly kind: 'number';
  readonly min: number;
  readonly max: number;
  readonly default: number;
  readonly doc?: string;
  readonly unit?: string;
  /** Distance between the values that a sweep tries; any value if absent. */
  readonly step?: number;
}

/** A share, between 0 and 1 by default; a YAML file may write `25%` or `0.25`. */
export interface RatioParam {
  readonly kind: 'ratio';
  readonly min: number;
  readonly max: number;
  readonly default: number;
  readonly doc?: string;
  /** Distance between the values that a sweep tries; any value if absent. */
  readonly step?: number;
}

export interface BooleanParam {
  readonly kind: 'boolean';
  readonly default: boolean;
  readonly doc?: string;
}

/** One of several names. */
export interface ChoiceParam<T extends string = string> {
  readonly kind: 'choice';
  readonly choices: readonly T[];
  readonly default: T;
  readonly doc?: string;
}

export type ParamDeclaration = IntParam | NumberParam | RatioParam | BooleanParam | ChoiceParam;
export type ParamDeclarations = Readonly<Record<string, ParamDeclaration>>;

/** Declaration of a plugin without parameters. */
export type NoParams = Readonly<Record<never, ParamDeclaration>>;

/** Returns the declared parameters of a plugin; an empty record if it declares none. */
export function declaredParams<P extends ParamDeclarations>({ params }: { readonly params?: P }): P {
  const none: ParamDeclarations = {};
  // Without the property, P is inferred as its default, a record without keys.
  return params ?? (none as P);
}

/** Type of a parameter at run time: number, boolean, or one of the choices. */
export type ParamValue<D extends ParamDeclaration> = D extends BooleanParam
  ? boolean
  : D extends ChoiceParam<infer T>
    ? T
    : number;
export type ParamValues<P extends ParamDeclarations> = { readonly [K in keyof P]: ParamValue<P[K]> };

/** Declares the parameters of a strategy. Types, validation, YAML completion, flags and sweep axes derive from it. */
export const param = {
  int: (spec: Omit<IntParam, 'kind'>): IntParam => ({ kind: 'int', ...spec }),
  number: (spec: Omit<NumberParam, 'kind'>): NumberParam => ({ kind: 'number', ...spec }),
  ratio: (spec: {
    default: number;
    doc?: string;
    min?: number;
    max?: number;
    step?: number;
  }): RatioParam => ({
    kind: 'ratio',
    min: 0,
    max: 1,
    ...spec,
  }),
  boolean: (spec: Omit<BooleanParam, 'kind'>): BooleanParam => ({ kind: 'boolean', ...spec }),
  choice: <const T extends string>(
    spec: Omit<ChoiceParam<T>, 'kind' | 'default'> & { readonly default: NoInfer<T> },
  ): ChoiceParam<T> => ({ kind: 'choice', ...spec }),
} as const;

/** A value that a declaration does not accept, and what it accepts. */
export interface ParamProblem {
  readonly name: string;
  readonly value: unknown;
  readonly wanted: string;
}

export type ResolvedParams =
  | { readonly kind: 'ok'; readonly values: Readonly<Record<string, number | boolean | string>> }
  | { readonly kind: 'problems'; readonly problems: readonly ParamProblem[] };

/** Applies defaults and checks every given value; undeclared names are problems as well. */
export function resolveParams(
  declared: ParamDeclarations,
  givenValues: Readonly<Record<string, unknown>>,
): ResolvedParams {
  const problems: ParamProblem[] = [];
  const values: Record<string, number | boolean | string> = {};
  for (const [name, declaration] of Object.entries(declared)) {
    const value = Object.hasOwn(givenValues, name) ? givenValues[name] : declaration.default;
    const read = readParam(declaration, value);
    if (read === undefined) problems.push({ name, value, wanted: describeParam(declaration) });
    else values[name] = read;
  }
  for (const name of Object.keys(givenValues)) {
    if (Object.hasOwn(declared, name)) continue;
    const known = Object.keys(declared).join(', ') || 'none';
    problems.push({ name, value: givenValues[name], wanted: `a declared parameter (${known})` });
  }
  return problems.length > 0 ? { kind: 'problems', problems } : { kind: 'ok', values };
}

/** Returns the author's description of a parameter, and what it accepts. */
export function documentedParam(declaration: ParamDeclaration): string {
  const { doc } = declaration;
  return doc === undefined ? describeParam(declaration) : `${doc}: ${describeParam(declaration)}`;
}

/** Describes what a declaration accepts, for error messages and documentation. */
export function describeParam(declaration: ParamDeclaration): string {
  switch (declaration.kind) {
    case 'int':
      return `a whole number from ${declaration.min} to ${declaration.max}`;
    case 'number': {
      const unit = declaration.unit === undefined ? '' : ` ${declaration.unit}`;
      return `a number from ${declaration.min} to ${declaration.max}${unit}`;
    }
    case 'ratio':
      return `a share from ${declaration.min} to ${declaration.max} (or ${declaration.min * 100}% to ${declaration.max * 100}%)`;
    case 'boolean':
      return 'true or false';
    case 'choice':
      return `one of ${declaration.choices.join(', ')}`;
  }
}

function readParam(declaration: ParamDeclaration, value: unknown): number | boolean | string | undefined {
  switch (declaration.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'choice':
      return declaration.choices.find((choice) => choice === value);
    case 'int':
      return Number.isInteger(value) ? within(declaration, value as number) : undefined;
    case 'number':
      return typeof value === 'number' ? within(declaration, value) : undefined;
    case 'ratio':
      return within(declaration, ratioOf(value));
  }
}

const PERCENT = /^(-?\d+(?:\.\d+)?)%$/;

function ratioOf(value: unknown): number {
  if (typeof value === 'number') return value;
  const match = typeof value === 'string' ? PERCENT.exec(value) : null;
  return match === null ? Number.NaN : Number(match[1]) / 100;
}

function within(bounds: { readonly min: number; readonly max: number }, value: number): number | undefined {
  return value >= bounds.min && value <= bounds.max ? value : undefined;
}
