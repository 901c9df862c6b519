/** Methods that choose the trials of a sweep. */
export const SWEEP_METHODS = ['grid', 'random', 'sobol', 'tpe', 'cma-es'] as const;
export type SweepMethod = (typeof SWEEP_METHODS)[number];

/** Maximum number of trials of one sweep. */
export const TRIALS_MAX = 1_000_000;

/** The values of one axis; absent bounds and steps are those of the parameter. */
export type AxisSpec =
  | {
      readonly kind: 'range';
      readonly from?: number | undefined;
      readonly to?: number | undefined;
      readonly step?: number | undefined;
    }
  | { readonly kind: 'values'; readonly values: readonly (number | boolean | string)[] };

/** The `sweep` section of a YAML; options of the command take precedence. */
export interface SweepConfig {
  readonly axes: Readonly<Record<string, AxisSpec>>;
  readonly where?: string | undefined;
  readonly objective?: string | undefined;
  readonly method?: SweepMethod | undefined;
  readonly trials?: number | undefined;
  readonly seed?: number | undefined;
}

/** Description of a valid axis. */
export const AXIS_WANTED = 'a range such as "5..50:5" (from..to:step) or values such as "10,20,50"';

const FIGURE = '-?\\d+(?:\\.\\d+)?%?';
const RANGE = new RegExp(`^(${FIGURE})\\.\\.(${FIGURE})(?::(${FIGURE}))?$`);
/** A number, or a share such as `25%`. */
export const IS_FIGURE = new RegExp(`^${FIGURE}$`);

/** Parses an axis: `5..50:5`, `0..1`, `5%..50%:5%`, `10,20,50`, `limit,market`; undefined if it is not one. */
export function readAxis(text: string): AxisSpec | undefined {
  const [isRange, from, to, step] = RANGE.exec(text.trim()) ?? [];
  if (isRange !== undefined)
    return {
      kind: 'range',
      from: figureOf(from ?? ''),
      to: figureOf(to ?? ''),
      ...(step === undefined ? {} : { step: figureOf(step) }),
    };
  const words = text.split(',').map((word) => word.trim());
  if (words.some((word) => word === '' || word.includes('..'))) return undefined;
  return { kind: 'values', values: words.map(writtenValue) };
}

/** Parses one value: `true`, `5`, `25%` or a name. */
export function writtenValue(word: string): number | boolean | string {
  if (word === 'true' || word === 'false') return word === 'true';
  return IS_FIGURE.test(word) ? figureOf(word) : word;
}

/** Parses a figure; `25%` is 0.25. */
export function figureOf(text: string): number {
  if (!text.endsWith('%')) return Number(text);
  const [whole = '', decimals = ''] = text.slice(0, -1).split('.');
  return Number(`${whole}.${decimals}e-2`);
}
