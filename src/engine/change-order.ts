import type { BotState } from '../events/bot-state.ts';
import type { OrderUpdate } from '../execution/orders/order-update.ts';
import type { OrderTerms } from '../model/order.ts';
import type { Task } from '../ports/task.ts';
import { toDecimal } from '../strategy/numeric.ts';
import type { CancelDraft, ReplaceDraft } from '../strategy/order-draft.ts';
import type { ExecutionServices } from './execution-services.ts';

/** Replaces or cancels an open order of ours; does nothing for one that has ended or is not known. */
export function* changeOrder(
  draft: ReplaceDraft | CancelDraft,
  state: BotState,
  { tracker, amender }: Pick<ExecutionServices, 'tracker' | 'amender'>,
): Task<OrderUpdate> {
  const order = state.live.get(draft.intentId);
  if (order === undefined || order.terms.symbol !== draft.symbol) return;
  if (draft.kind === 'cancel') {
    yield* tracker.cancel(draft.intentId);
    return;
  }
  const terms = newTerms(order.replacing ?? order.terms, draft);
  if (terms !== undefined) yield* amender.replace(draft.intentId, terms);
}

/** The terms with the figures of a draft; undefined if one of them is not a positive number. */
function newTerms(
  terms: OrderTerms,
  { quantity, price, triggerPrice }: ReplaceDraft,
): OrderTerms | undefined {
  let changed = terms;
  for (const [name, figure] of Object.entries({ quantity, price, triggerPrice })) {
    if (figure === undefined) continue;
    const read = toDecimal(figure);
    if (read?.gt(0) !== true) return undefined;
    changed = { ...changed, [name]: read };
  }
  return changed;
}
