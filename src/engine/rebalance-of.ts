import type { RebalanceSpec, TargetHolding } from '../model/algorithm.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { orderDrafts, type RebalanceDraft, type SizedDraft } from '../strategy/order-draft.ts';
import {
  fault,
  type NothingToSend,
  type OrderStyle,
  type SizingFacts,
  sizeDraft,
} from '../strategy/sizing.ts';

/** Inputs of a rebalance. */
interface RebalanceParts {
  /** Symbols in which the strategy has positions or open orders. */
  readonly known: readonly SecuritySymbol[];
  /** Its open orders, without exits. */
  readonly before: RebalanceSpec['before'];
  readonly cancelAfterMs: number | undefined;
  /** Sizing facts of a symbol that it trades, and its order style. */
  readonly sizing: (
    symbol: SecuritySymbol,
  ) => { readonly facts: SizingFacts; readonly style: OrderStyle } | undefined;
}

/**
 * Returns the target weights, named ones first and in that order, then all others with 0; or what is wrong. If one
 * weight cannot be computed, nothing is done: half a rebalance would sell and not buy. A symbol without a price,
 * which may not be listed yet, is left out, so that the others do not wait for it.
 */
export function rebalanceOf(
  { weights, band }: RebalanceDraft,
  { known, before, cancelAfterMs, sizing }: RebalanceParts,
): RebalanceSpec | NothingToSend {
  if (band !== undefined && !(band >= 0 && band < 1))
    return fault(`a rebalance wants a band from 0 to less than 1, not ${band}`);
  const named = Object.entries(weights).map(([text, weight]): TargetHolding => {
    const symbol = text as SecuritySymbol;
    return band === undefined || weight === 0 ? { symbol, weight } : { symbol, weight, band };
  });
  const sizeable: TargetHolding[] = [];
  for (const holding of named) {
    const { symbol, weight } = holding;
    if (!(weight >= -1 && weight <= 1))
      return fault(`a rebalance wants a share of "${symbol}" from -1 to 1, not ${weight}`);
    const own = sizing(symbol);
    const sized = own === undefined ? undefined : sizeDraft(draftFor(holding), own.facts, own.style);
    if (sized?.kind === 'nothing' && sized.isFault) return sized;
    if (sized?.kind !== 'nothing' || sized.isUnknown !== true) sizeable.push(holding);
  }
  const others = known.filter((symbol) => !Object.hasOwn(weights, symbol));
  return {
    kind: 'rebalance',
    holdings: [...sizeable, ...others.map((symbol) => ({ symbol, weight: 0 }))],
    before,
    ...omitUndefined({ cancelAfterMs }),
  };
}

/** The draft that leads to a share of the equity; a share of 0 needs no price. */
export function draftFor({ symbol, weight }: TargetHolding): SizedDraft {
  return weight === 0 ? orderDrafts.close(symbol) : orderDrafts.targetWeight(symbol, weight);
}
