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
 * A custom fill model: how orders fill in the simulated market, in backtests and on paper. Both functions must be
 * pure; otherwise backtest and paper differ.
 */
export interface FillModelDefinition<P extends ParamDeclarations = ParamDeclarations> {
  /** Name that YAML configs refer to; kebab-case, equal to the file's name. */
  readonly name: string;
  /** One sentence for reports: what it assumes and what it leaves out. */
  readonly doc: string;
  /** Parameters, declared with `param`. */
  readonly params?: P;
  /**
   * Slippage of an order that takes liquidity, as a share of the price, 0 to 1 (0.001 is 10 bps); default none. The
   * price is rounded against the order to the tick and never exceeds the order's limit.
   */
  slippage?(question: FillQuestion, own: { readonly params: ParamValues<P> }): number;
  /**
   * Maximum number of shares that all orders together may take of the print (whole-bars: of the bar), 0 or more;
   * default no limit.
   */
  room?(question: FillQuestion, own: { readonly params: ParamValues<P> }): number;
}

const FILL_MODEL = Symbol.for('sluice.fill-model');

/** A definition that was checked by `defineFillModel`; the loader accepts nothing else. */
export type FillModelPlugin<P extends ParamDeclarations = ParamDeclarations> = FillModelDefinition<P> & {
  readonly params: P;
  readonly [FILL_MODEL]: 1;
};

/**
 * Declares a fill model; its file exports the result by default. Throws TypeError if it has no name, does not state
 * its assumptions, or defines neither function.
 */
export function defineFillModel<const P extends ParamDeclarations = NoParams>(
  definition: FillModelDefinition<P>,
): FillModelPlugin<P> {
  assertDefinition('fill model', definition, {
    example: 'quiet-open',
    known: ['name', 'doc', 'params', 'slippage', 'room'],
  });
  const { name, doc, slippage, room } = definition;
  if (typeof doc !== 'string' || doc.trim() === '')
    throw new TypeError(`Cannot define fill model "${name}": it has no "doc", which every report shows`);
  if (typeof slippage !== 'function' && typeof room !== 'function')
    throw new TypeError(
      `Cannot define fill model "${name}": it has neither "slippage" nor "room", so it changes nothing`,
    );
  return { ...definition, params: declaredParams(definition), [FILL_MODEL]: 1 };
}

/** True for a result of `defineFillModel`, also from another copy of the package. */
export function isFillModel(value: unknown): value is FillModelPlugin {
  return hasBrand(value, FILL_MODEL);
}
