import type { TrackedOrder } from '../../events/bot-state.ts';
import type { TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { SLICE_SLOT, type SlicesSpec } from '../../model/algorithm.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import { MINUTE_MS, type Millis, millis } from '../../model/time.ts';
import {
  type Children,
  cancelActions,
  childrenOf,
  executedOf,
  failureOf,
  isOpen,
  wasCancelled,
} from './children.ts';
import type { AlgorithmAction, AlgorithmFacts } from './plan.ts';

/**
 * Wants an order slice by slice: each when its time has come, or when the one before it was filled. What a slice does not
 * execute is not caught up later, so that the last one is no larger than it was meant to be. A slice whose time passed
 * without it, because the bot was down, is missed: it is never sent late, and the config says whether the rest grows by it.
 */
export function planSlices(
  algorithm: TrackedAlgorithm,
  spec: SlicesSpec,
  facts: AlgorithmFacts,
): readonly AlgorithmAction[] {
  const { order, slices, pace } = spec;
  const children = childrenOf(algorithm, facts);
  const lastSent = slices.findLastIndex((_, at) => children.newest(slotOf(at)) !== undefined);
  const open = children.all.filter(isOpen);
  const missed = slices.filter((_, at) => at < lastSent && children.newest(slotOf(at)) === undefined).length;
  const end = (gone: string | undefined, unsent = 0): AlgorithmAction =>
    ending({ spec, children, gone, missed: missed + unsent });
  // Whatever overruled it takes back what is open, or lets it stand.
  if (algorithm.overruled !== undefined) return open.length > 0 ? [] : [end(algorithm.overruled)];
  const gone =
    facts.killed && lastSent >= 0
      ? 'the account was killed'
      : children.all.some(
            (child) => child.facets.venue === 'CanceledStatus' && !wasCancelled(child, algorithm),
          ) && pace === 'fill'
        ? 'somebody cancelled one of its orders'
        : undefined;
  if (gone !== undefined || lastSent === slices.length - 1) {
    if (open.length > 0) return gone === undefined ? [] : cancelActions(open, gone);
    return [end(gone)];
  }
  const due = pace === 'fill' ? lastSent + 1 : dueSlice(algorithm, slices, lastSent, facts.now);
  const newest = children.newest(slotOf(lastSent));
  if (pace === 'fill' && newest !== undefined) {
    if (isOpen(newest)) return [];
    const failure = failureOf(newest);
    if (failure !== undefined)
      return [{ kind: 'end', outcome: 'failed', why: `slice ${lastSent + 1} was ${failure}` }];
  }
  // The times of all slices have passed.
  if (due === slices.length) return open.length > 0 ? [] : [end(undefined, due - lastSent - 1)];
  const next = slices[due];
  if (next === undefined) return [];
  const at = timeOf(algorithm, next);
  if (at > facts.now) return [{ kind: 'wake', at }];
  const skipped = due - lastSent - 1;
  const later = slices[due + 1];
  const submit: AlgorithmAction = {
    kind: 'submit',
    slot: slotOf(due),
    terms: { ...order, quantity: quantityOf(spec, due, children, facts) },
    reason: `${algorithm.reason}, slice ${due + 1} of ${slices.length}${skippedText(skipped, spec)}`,
    ...(skipped === 0 ? {} : { missed: { slices: skipped, of: slices.length, how: spec.missed ?? 'drop' } }),
  };
  const wake: readonly AlgorithmAction[] =
    later === undefined || pace === 'fill' ? [] : [{ kind: 'wake', at: timeOf(algorithm, later) }];
  return [submit, ...wake];
}

function timeOf({ startedAt }: TrackedAlgorithm, { afterMs }: SlicesSpec['slices'][number]): Millis {
  return millis(startedAt + afterMs);
}

/**
 * The slice that is to be sent next: the newest whose time has come, else the first to come. One that is late by as much as the
 * next comes after it is missed itself; their number where all are.
 */
function dueSlice(
  algorithm: TrackedAlgorithm,
  slices: SlicesSpec['slices'],
  lastSent: number,
  now: Millis,
): number {
  for (let at = lastSent + 1; at < slices.length; at += 1) {
    const slice = slices[at];
    if (slice === undefined) continue;
    const until = slices[at + 1];
    const before = slices[at - 1];
    const lastsMs =
      until === undefined
        ? before === undefined
          ? MINUTE_MS
          : slice.afterMs - before.afterMs
        : until.afterMs - slice.afterMs;
    if (timeOf(algorithm, slice) + lastsMs > now || lastsMs <= 0) return at;
  }
  return slices.length;
}

/** Its own shares, or its part of all that was not sent yet where missed slices are spread. */
function quantityOf(
  { order, slices, missed }: SlicesSpec,
  at: number,
  children: Children,
  facts: AlgorithmFacts,
): Quantity {
  const own = slices[at]?.quantity ?? ZERO;
  if (missed !== 'spread') return own;
  const sent = children.all.reduce((sum, child) => sum.plus(child.facets.ordered), ZERO);
  const left = order.quantity.minus(sent);
  if (at === slices.length - 1) return left;
  const planned = slices.slice(at).reduce((sum, { quantity }) => sum.plus(quantity), ZERO);
  return Decimal.max(own, facts.wholeLots(left.times(own).div(planned)));
}

function slotOf(at: number): string {
  return `${SLICE_SLOT}${at + 1}`;
}

function skippedText(skipped: number, { missed = 'drop' }: SlicesSpec): string {
  if (skipped === 0) return '';
  const what = skipped === 1 ? '1 missed slice' : `${skipped} missed slices`;
  return missed === 'drop' ? `, after ${what} that were dropped` : `, with its part of ${what}`;
}

function ending({
  spec,
  children: { all },
  gone,
  missed,
}: {
  readonly spec: SlicesSpec;
  readonly children: { readonly all: readonly TrackedOrder[] };
  readonly gone: string | undefined;
  readonly missed: number;
}): AlgorithmAction {
  const executed = executedOf(all);
  const slices = missed === 1 ? '1 slice' : `${missed} slices`;
  const left = missed === 0 ? '' : `, ${slices} missed`;
  const why = `${executed} of ${spec.order.quantity} traded${left}`;
  if (gone !== undefined) return { kind: 'end', outcome: 'canceled', why: `${gone}; ${why}` };
  const isWhole =
    all.every((child) => failureOf(child) === undefined) &&
    (missed === 0 || executed.gte(spec.order.quantity));
  const alarm = missed > 0 && executed.lt(spec.order.quantity) ? { alarm: 'slices-missed' } : {};
  return { kind: 'end', outcome: isWhole && executed.gt(ZERO) ? 'done' : 'failed', why, ...alarm };
}
