import type { TrackedAlgorithm } from '../../events/algorithm-record.ts';
import type { SlicesSpec } from '../../model/algorithm.ts';
import { ZERO } from '../../model/decimal.ts';
import { millis } from '../../model/time.ts';
import { childrenOf, executedOf, failureOf, isOpen, wasWithdrawn, withdraw } from './children.ts';
import type { AlgorithmFacts, Want } from './plan.ts';

/**
 * Wants an order slice by slice: each when its time has come, or when the one before it was filled. What a slice does not
 * execute is not caught up later, so that the last one is no larger than it was meant to be.
 */
export function planSlices(
  algorithm: TrackedAlgorithm,
  { order, slices, pace }: SlicesSpec,
  facts: AlgorithmFacts,
): readonly Want[] {
  const children = childrenOf(algorithm, facts);
  const sent = slices.filter((_, at) => children.newest(slotOf(at)) !== undefined).length;
  const open = children.all.filter(isOpen);
  // Whoever overruled it takes back what is open, or lets it stand.
  if (algorithm.overruled !== undefined)
    return open.length > 0 ? [] : [ending(order.quantity.toString(), children.all, algorithm.overruled)];
  const gone =
    facts.killed && sent > 0
      ? 'the account was killed'
      : children.all.some(
            (child) => child.facets.venue === 'CanceledStatus' && !wasWithdrawn(child, algorithm),
          ) && pace === 'fill'
        ? 'somebody cancelled one of its orders'
        : undefined;
  const next = gone === undefined ? slices[sent] : undefined;
  if (next === undefined) {
    if (open.length > 0) return gone === undefined ? [] : withdraw(open, gone);
    return [ending(order.quantity.toString(), children.all, gone)];
  }
  const newest = sent === 0 ? undefined : children.newest(slotOf(sent - 1));
  if (pace === 'fill' && newest !== undefined) {
    if (isOpen(newest)) return [];
    const failure = failureOf(newest);
    if (failure !== undefined)
      return [{ kind: 'end', outcome: 'failed', why: `slice ${sent} was ${failure}` }];
  }
  const due = millis(algorithm.startedAt + next.afterMs);
  if (due > facts.now) return [{ kind: 'wake', at: due }];
  const submit: Want = {
    kind: 'submit',
    slot: slotOf(sent),
    terms: { ...order, quantity: next.quantity },
    reason: `${algorithm.reason}, slice ${sent + 1} of ${slices.length}`,
  };
  const later = slices[sent + 1];
  const wake: readonly Want[] =
    later === undefined || pace === 'fill'
      ? []
      : [{ kind: 'wake', at: millis(algorithm.startedAt + later.afterMs) }];
  return [submit, ...wake];
}

function slotOf(at: number): string {
  return `slice-${at + 1}`;
}

function ending(wanted: string, all: ReturnType<typeof childrenOf>['all'], gone: string | undefined): Want {
  const executed = executedOf(all);
  const why = `${executed} of ${wanted} traded`;
  if (gone !== undefined) return { kind: 'end', outcome: 'canceled', why: `${gone}; ${why}` };
  const isWhole = all.every((child) => failureOf(child) === undefined);
  return { kind: 'end', outcome: isWhole && executed.gt(ZERO) ? 'done' : 'failed', why };
}
