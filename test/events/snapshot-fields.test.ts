import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSnapshotBuilder } from '#src/events/snapshot/snapshot-builder.ts';
import { SNAPSHOT_FORM, type StateSnapshot } from '#src/events/snapshot/state-snapshot.ts';
import { stateOf } from '#src/events/snapshot/state-text.ts';
import type { Decimal } from '#src/model/decimal.ts';

type Leaf = string | number | boolean | undefined | null | Decimal;
type Names<T> = T extends unknown ? keyof T : never;
type At<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
type Within<T> = [T] extends [ReadonlyMap<unknown, infer V>]
  ? Fields<V>
  : [T] extends [ReadonlySet<unknown>]
    ? true
    : [T] extends [readonly (infer V)[]]
      ? Fields<V>
      : { readonly [K in Names<T>]: Fields<At<T, K>> };

/** The name of every field of a type at every depth, including optional ones. */
type Fields<T> = [Exclude<T, Leaf>] extends [never] ? true : Within<Exclude<T, Leaf>>;

const TERMS = {
  expireDate: true,
  limitDepthLevel: true,
  limitOffset: true,
  monitorPrice: true,
  outsideRth: true,
  price: true,
  quantity: true,
  side: true,
  symbol: true,
  timeInForce: true,
  trailingAmount: true,
  trailingPercent: true,
  triggerCount: true,
  triggerPrice: true,
  type: true,
} as const;
const FILL = {
  charges: { amount: true, category: true, code: true, currency: true, name: true },
  currency: true,
  executionId: true,
  fee: true,
  intentId: true,
  orderId: true,
  price: true,
  quantity: true,
  rounding: true,
  side: true,
  symbol: true,
  time: true,
} as const;
const CLOSED = { fee: true, quantity: true, side: true } as const;
const PORTFOLIO = { cash: true, holdings: { averageCost: true, currency: true, quantity: true } } as const;
const LEVEL = { amount: true, kind: true, percent: true, price: true } as const;
const DISTANCE = { amount: true, kind: true, percent: true } as const;
const ORDER = {
  cancelAfterMs: true,
  isTarget: true,
  change: { asked: TERMS, at: true, losses: true, outcome: true },
  charged: true,
  decidedAt: true,
  facets: {
    cancelAcks: true,
    cancelWanted: true,
    cancels: true,
    unsentCancels: true,
    doubt: { kind: true, since: true },
    executed: true,
    executions: { price: true, quantity: true },
    ordered: true,
    pending: true,
    replacement: true,
    submission: {
      attempt: true,
      code: true,
      kind: true,
      orderId: true,
      outcome: true,
      payable: { most: true, unsettled: true },
      rule: true,
    },
    twins: true,
    venue: true,
  },
  held: true,
  holdingExpected: true,
  intentId: true,
  link: { algorithm: true, again: true, exclusive: true, exit: true, slot: true },
  replacing: TERMS,
  split: { executions: true, ratio: true },
  strategy: true,
  terms: TERMS,
} as const;

/**
 * All fields of the current snapshot form. If this does not compile, a field was added, removed or renamed: raise
 * `SNAPSHOT_FORM`, so that a snapshot of an earlier program is not used and the old files are read instead.
 */
const SNAPSHOT_FIELDS = {
  heard: true,
  known: {
    algorithms: {
      cause: { inputs: {}, kind: true, name: true, symbol: true, time: true },
      children: true,
      closedByOthers: true,
      firstFillAt: true,
      lastFillAt: true,
      id: true,
      isSplit: true,
      overruled: true,
      reason: true,
      spec: {
        atEnd: true,
        before: true,
        bound: true,
        cancelAfterMs: true,
        closes: true,
        yields: true,
        entry: TERMS,
        everyMs: true,
        exits: {
          afterMs: true,
          beforeCloseMs: true,
          breakEven: DISTANCE,
          stop: LEVEL,
          target: LEVEL,
          trail: DISTANCE,
        },
        forMs: true,
        holdings: { band: true, symbol: true, weight: true },
        isTarget: true,
        kind: true,
        legs: TERMS,
        missed: true,
        order: TERMS,
        pace: true,
        slices: { afterMs: true, quantity: true },
        style: true,
      },
      startedAt: true,
      strategy: true,
      withdrawn: true,
    },
    books: PORTFOLIO,
    byOrderId: true,
    done: ORDER,
    foreign: {
      charged: true,
      executions: true,
      orders: {
        currency: true,
        executedQuantity: true,
        orderId: true,
        remark: true,
        status: true,
        terms: TERMS,
      },
      uncharged: { currency: true, notional: true },
    },
    gate: {
      denials: { at: true, rule: true, sliceOf: true },
      fills: { at: true, closed: CLOSED, fill: FILL, split: true },
      otherFills: { at: true, closed: CLOSED, fill: FILL, split: true },
      dividends: { amount: true, at: true, byStrategy: true, symbol: true },
      orders: {
        at: true,
        exitOf: { algorithm: true, slot: true },
        intentId: true,
        isUnsent: true,
        sliceOf: true,
        strategy: true,
        terms: TERMS,
      },
      peakEquity: true,
      restrictions: {
        ...{ by: true, cause: true, reason: true, rule: true, since: true, state: true },
        symbol: true,
      },
      resumed: { at: true, equity: true },
      standing: { by: true, reason: true, rule: true, since: true, state: true },
    },
    kept: { text: true, version: true },
    live: ORDER,
    openedAt: true,
    portfolio: PORTFOLIO,
    rounding: true,
    splits: { at: true, price: true },
    flattening: true,
    starts: {
      cleanups: true,
      configHash: true,
      epoch: true,
      isRecovering: true,
      ranFrom: true,
      ranUntil: true,
      starts: { ended: true, machineAt: true },
      version: true,
    },
    uncharged: { currency: true, notional: true },
  },
  untold: { fills: FILL, told: true },
} as const satisfies Fields<StateSnapshot>;

/**
 * Digest of these fields by form. Never change an entry: other fields need a new form. So does a field with a new
 * meaning, such as an average cost that was 0 and is now undefined.
 */
const DIGESTS: Readonly<Record<number, string>> = {
  4: '01d708b5b410f2ed',
  5: '2c688bd8e6330104',
  6: '4e03abf55d703d89',
  7: '0c85392fd10d5dfb',
  8: '55d716debf29ac76',
  9: 'b055a4fb56289bf4',
  10: 'df1c80b0fe168057',
  11: 'f661da6ea0054122',
  12: 'b617ebaca893e270',
  13: 'd0a3630e4b20a295',
  14: '4012a50703efe989',
  15: '0aa570d2b388e594',
  16: 'bd4afe6ebf877a95',
  17: 'a2d13f42805a731d',
};

/** Digest of the names of all fields, independent of their order. */
function digestOf(fields: unknown): string {
  const names = (value: unknown, path: string): readonly string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, each]) => names(each, `${path}.${name}`))
      : [path];
  return createHash('sha256').update(names(fields, '').toSorted().join('\n')).digest('hex').slice(0, 16);
}

describe('the form of a snapshot', () => {
  it('is raised with every change of the fields of a fold, so that old files are read instead (F-K10, F-K09)', () => {
    expect(
      DIGESTS[SNAPSHOT_FORM],
      'The fields of a snapshot changed: raise SNAPSHOT_FORM and add the digest of the new form',
    ).toBe(digestOf(SNAPSHOT_FIELDS));
    expect(SNAPSHOT_FORM).toBe(Math.max(...Object.keys(DIGESTS).map(Number)));
    const { known } = stateOf(createSnapshotBuilder().result().state) as StateSnapshot;
    for (const [written, listed] of [
      [known, SNAPSHOT_FIELDS.known],
      [known.gate, SNAPSHOT_FIELDS.known.gate],
      [known.foreign, SNAPSHOT_FIELDS.known.foreign],
      [known.starts, SNAPSHOT_FIELDS.known.starts],
      [known.portfolio, SNAPSHOT_FIELDS.known.portfolio],
    ])
      expect(Object.keys(written ?? {}).toSorted()).toEqual(Object.keys(listed ?? {}).toSorted());
  });
});
