import type { FillQuestion } from '../simulation/own-fills.ts';
import { assertDefinition } from '../strategy/assert-definition.ts';
import {
  declaredParams,
  type NoParams,
  type ParamDeclarations,
  type ParamValues,
} from '../strategy/params.ts';
import { hasBrand } from './has-brand.ts';

/**
 * What a fill model of one's own is: how orders fill on the simulated market, in a backtest and on paper. Both functions
 * are plain functions of what they are given: the same question gets the same answer, or backtest and paper part.
 */
export interface FillModelDefinition<P extends ParamDeclarations = ParamDeclarations> {
  /** Name by which a YAML asks for it; kebab-case, equal to its file's name. */
  readonly name: string;
  /** One sentence for reports: what it assumes, and what it leaves out. */
  readonly doc: string;
  /** Declared with `param`; none when absent. */
  readonly params?: P;
  /**
   * Share of the price, 0 to 1, that an order which takes pays beyond the print (0.001 is 10 bps); absent: nothing. The
   * price is rounded against the order to the tick, and never goes beyond the order's own limit.
   */
  slippage?(question: FillQuestion, own: { readonly params: ParamValues<P> }): number;
  /** Most shares that all orders together may take of the print (whole-bars: of the bar), 0 or more; absent: no cap. */
  room?(question: FillQuestion, own: { readonly params: ParamValues<P> }): number;
}

const FILL_MODEL = Symbol.for('sluice.fill-model');

/** A definition that went through `defineFillModel`; the loader takes nothing else. */
export type FillModelPlugin<P extends ParamDeclarations = ParamDeclarations> = FillModelDefinition<P> & {
  readonly params: P;
  readonly [FILL_MODEL]: 1;
};

/** Declares a fill model; the file exports the result by default. Throws TypeError when it is unnamed, does not state its assumptions, or decides nothing. */
export function defineFillModel<const P extends ParamDeclarations = NoParams>(
  definition: FillModelDefinition<P>,
): FillModelPlugin<P> {
  assertDefinition('fill model', definition, 'quiet-open');
  const { name, doc, slippage, room } = definition;
  if (typeof doc !== 'string' || doc.trim() === '')
    throw new TypeError(`Cannot define fill model "${name}": it has no "doc", which every report shows`);
  if (typeof slippage !== 'function' && typeof room !== 'function')
    throw new TypeError(
      `Cannot define fill model "${name}": it has neither "slippage" nor "room", so it changes nothing`,
    );
  return { ...definition, params: declaredParams(definition), [FILL_MODEL]: 1 };
}

/** True for what `defineFillModel` returned, also when it came from another copy of the package. */
export function isFillModel(value: unknown): value is FillModelPlugin {
  return hasBrand(value, FILL_MODEL);
}
