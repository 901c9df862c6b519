import { series } from '../node.ts';
import type { Bind, Series } from '../series.ts';

/** Computes one number for one bar from the inputs at that bar only. */
export type Formula = (a: number, b: number, c: number, d: number) => number;

const NO_PARAMS: readonly number[] = [];

/** A series whose value at a bar is a formula of up to four inputs at that same bar. */
export function mapped(
  name: string,
  inputs: readonly Series[],
  formula: Formula,
  params: readonly (number | string)[] = NO_PARAMS,
): Series {
  return series({ name, inputs, params, bind: bindFormula(inputs.length, formula) });
}

function bindFormula(count: number, formula: Formula): Bind {
  return (...columns) => {
    const [a, b, c, d] = columns;
    const out = columns[count] as Float64Array;
    const first = a ?? out;
    const second = count > 1 ? (b ?? out) : first;
    const third = count > 2 ? (c ?? out) : first;
    const fourth = count > 3 ? (d ?? out) : first;
    return (from, to) => {
      for (let i = from; i < to; i++) {
        out[i] = formula(first[i] as number, second[i] as number, third[i] as number, fourth[i] as number);
      }
    };
  };
}

/** Takes the inputs of the next bar and returns its value; keeps its own state. */
export type Step = (a: number, b: number, c: number, d: number) => number;

/** Declaration of a stepped indicator; bar counts as in a node's specification. */
export interface SteppedSpec {
  readonly name: string;
  readonly inputs: readonly Series[];
  readonly params?: readonly (number | string)[];
  readonly defined?: number;
  readonly settled?: number;
  /** Starts a run with new state. */
  readonly start: () => Step;
  readonly maker?: unknown;
  readonly own?: boolean;
}

/** A series of up to four inputs whose value depends on earlier bars, computed bar by bar. */
export function stepped(spec: SteppedSpec): Series {
  const { start, ...rest } = spec;
  return series({ ...rest, bind: (...columns) => bindFormula(spec.inputs.length, start())(...columns) });
}
