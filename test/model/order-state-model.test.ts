import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { executionId, isTerminalStatus, orderId, type ReadStatus, VENUE_STATUSES } from '#src/model/order.ts';
import type { OrderEffect, OrderFacets } from '#src/model/order-facets.ts';
import { draftOrder, isLive, type OrderMove, stepOrder } from '#src/model/order-state.ts';
import { millis } from '#src/model/time.ts';
import { randomCases } from '../fixtures/random-cases.ts';

/** Sequences of at most 60 moves; `ORDER_SEQUENCES` sets another number of them. */
const SEQUENCES = Number(process.env['ORDER_SEQUENCES'] ?? randomCases(30_000, 20_000));
const LENGTH_MAX = 60;
const ORDERED = 10;

/** A simple model of an order with plain numbers. */
interface Model {
  stage: string;
  id: string | undefined;
  rows: Map<string, string>;
  filled: number;
  /** A cancel was requested before the order had an id (T-33). */
  cancelWanted: boolean;
}

interface Real {
  order: OrderFacets;
}

const AFTER: Readonly<Record<string, readonly string[]>> = {
  drafted: ['denied', 'armed'],
  armed: ['denied', 'sending', 'not-sent'],
  sending: ['armed', 'acked', 'refused', 'not-sent', 'unknown'],
  unknown: ['acked', 'abandoned'],
  abandoned: ['acked'],
  refused: ['acked'],
  'not-sent': ['acked'],
  settled: ['acked'],
  denied: [],
  acked: [],
};

/** One event from the wire or the bot, which may occur at any time and any number of times. */
class Happens implements fc.Command<Model, Real> {
  readonly move: OrderMove;
  constructor(move: OrderMove) {
    this.move = move;
  }
  check(): boolean {
    return true;
  }
  run(model: Model, real: Real): void {
    const before = real.order;
    const { order, effects } = stepOrder(before, this.move);
    real.order = order;
    const said = effects.flatMap((effect) => (effect.kind === 'alarm' ? [effect.code] : []));
    const stage = model.stage;
    follow(model, this.move, isLive(before));
    compare(model, order);
    remembered(model, stage, effects);
    if (isReadShort(before, this.move)) notBelieved(before, order, effects);
    holdFast(before, order, said, this.move);
    if (stepOrder(order, this.move).order !== order) throw new Error('The second step changed the order');
  }
  toString(): string {
    return JSON.stringify(this.move);
  }
}

function follow(model: Model, move: OrderMove, wasLive: boolean): void {
  if (move.kind === 'settled' && wasLive && model.stage !== 'armed') {
    model.stage = 'settled';
    model.id = undefined;
  }
  if (AFTER[model.stage]?.includes(move.kind) === true) {
    model.stage = move.kind;
    if (move.kind === 'acked') model.id = move.orderId;
  }
  const early = ['sending', 'unknown', 'abandoned'].includes(model.stage);
  if (move.kind === 'cancel-asked' && early) model.cancelWanted = true;
  if (move.kind === 'settled' && model.stage === 'settled') model.cancelWanted = false;
  if (move.kind === 'executed' && !model.rows.has(move.executionId)) {
    model.rows.set(move.executionId, `${move.quantity}`);
    model.filled += Number(move.quantity);
  }
}

/** A cancel that came too early is sent as soon as the order has an id (T-33). */
function remembered(model: Model, before: string, effects: readonly OrderEffect[]): void {
  const isBound = before !== 'acked' && model.stage === 'acked';
  if (!isBound) return;
  if (model.cancelWanted && before !== 'settled' && !effects.some(({ kind }) => kind === 'cancel'))
    throw new Error('A cancel that was asked for was forgotten');
  model.cancelWanted = false;
}

/** Whether a read states less than is booked (T-27). */
function isReadShort(before: OrderFacets, move: OrderMove): boolean {
  const isRead = move.kind === 'status' && move.by === 'pull' && move.executedQuantity.lt(before.executed);
  return isRead && before.submission.kind === 'acked';
}

function notBelieved(before: OrderFacets, after: OrderFacets, effects: readonly OrderEffect[]): void {
  if (after.venue !== before.venue) throw new Error('Believed a read that tells of less than is booked');
  const isFirst = before.doubt?.kind !== 'shrunk';
  if (isFirst && !effects.some(({ kind }) => kind === 'pull')) throw new Error('Did not read again');
}

function compare(model: Model, order: OrderFacets): void {
  const { submission } = order;
  if (submission.kind !== model.stage) throw new Error(`Submission ${submission.kind}, want ${model.stage}`);
  if (model.id !== undefined && submission.kind !== 'acked') throw new Error('Lost its id');
  if (order.executed.toNumber() !== model.filled || order.executions.size !== model.rows.size)
    throw new Error(`Executed ${order.executed} in ${order.executions.size}, want ${model.filled}`);
}

/** Invariants of every move (I-7, I-8, F-B16). */
function holdFast(before: OrderFacets, after: OrderFacets, said: readonly string[], move: OrderMove): void {
  const grew = after.executed.gt(before.executed);
  if (grew && after.executed.gt(ORDERED) && !said.includes('overfilled'))
    throw new Error('Overfilled in silence');
  if (grew && !isLive(before) && before.submission.kind === 'acked' && !said.includes('late-fill'))
    throw new Error('Late fill in silence');
  if (isOver(before.venue) && !isOver(after.venue) && !said.includes('reopened'))
    throw new Error(`Left ${before.venue} for ${after.venue}`);
  const isReserved = ['armed', 'sending', 'unknown', 'abandoned'].includes(after.submission.kind);
  if (isReserved && !isLive(after))
    throw new Error(`Money of an order that is ${after.submission.kind} is free`);
  const isPush = move.kind === 'status' && move.by === 'push';
  if (isPush && isOver(after.venue) !== isOver(before.venue)) throw new Error('A push ended or revived it');
  if (after.cancels > 8) throw new Error('Cancelled more than eight times');
  if (isOver(after.venue) && after.pending !== 'none') throw new Error(`Over, and ${after.pending}`);
  const isKnown = after.submission.kind === 'acked' || after.submission.kind === 'settled';
  if (after.venue !== 'none' && !isKnown) throw new Error('A status without an id');
}

const isOver = (status: ReadStatus | 'none'): boolean => status !== 'none' && isTerminalStatus(status);

const answers = fc.constantFrom('accepted' as const, 'refused' as const, 'unknown' as const);
const someMove: fc.Arbitrary<OrderMove> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom<OrderMove>(
      { kind: 'denied', rule: 'r' },
      { kind: 'armed' },
      { kind: 'sending', attempt: 1 },
      { kind: 'acked', orderId: orderId('700') },
      { kind: 'acked', orderId: orderId('700') },
      { kind: 'doubled', orderId: orderId('701') },
      { kind: 'refused', code: 1 },
      { kind: 'not-sent' },
      { kind: 'unknown' },
      { kind: 'abandoned' },
      { kind: 'settled', outcome: 'dead' },
      { kind: 'cancel-asked' },
      { kind: 'cancel-sending' },
      { kind: 'cancel-sending' },
      { kind: 'cancel-overdue' },
    ),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...VENUE_STATUSES, 'unrecognised' as const),
        fc.constantFrom('push' as const, 'pull' as const, 'pull' as const),
        fc.nat(ORDERED + 1),
        fc.nat(6),
      )
      .map(([status, by, done, at]) => ({
        kind: 'status' as const,
        status,
        by,
        executedQuantity: decimal(String(done)),
        at: millis(at * 1_000),
      })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('e1', 'e2', 'e3', 'e4'), fc.integer({ min: 1, max: 5 }))
      .map(([id, quantity]) => ({
        kind: 'executed' as const,
        executionId: executionId(id),
        quantity: decimal(String(quantity)),
        price: decimal('1'),
      })),
  },
  { weight: 1, arbitrary: answers.map((answer) => ({ kind: 'cancel-answered' as const, answer })) },
  { weight: 1, arbitrary: answers.map((answer) => ({ kind: 'replace-answered' as const, answer })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('replace-sending' as const, 'replace-read' as const),
        fc.integer({ min: 1, max: ORDERED }),
      )
      .map(([kind, quantity]) => ({ kind, quantity: decimal(String(quantity)) })),
  },
);

/** Half of the sequences begin with a sent and accepted order, as most states follow from there. */
const begun: readonly OrderMove[] = [
  { kind: 'armed' },
  { kind: 'sending', attempt: 1 },
  { kind: 'acked', orderId: orderId('700') },
];

describe('the facets against a reference model', () => {
  it(
    `agree in ${SEQUENCES} sequences of moves in any order (I-7, I-8, T-55)`,
    () => {
      fc.assert(
        fc.property(
          fc.boolean(),
          fc.commands([someMove.map((move) => new Happens(move))], { maxCommands: LENGTH_MAX, size: 'max' }),
          (isBegun, commands) => {
            fc.modelRun(() => {
              const model = newModel();
              const real: Real = { order: draftOrder(decimal(String(ORDERED))) };
              if (isBegun) for (const move of begun) new Happens(move).run(model, real);
              return { model, real };
            }, commands);
          },
        ),
        { numRuns: SEQUENCES },
      );
    },
    SEQUENCES * 5 + 10_000,
  );

  it('reach every submission and every final state', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(someMove, { maxLength: LENGTH_MAX, size: 'max' }), (moves) => {
        let order = draftOrder(decimal(String(ORDERED)));
        for (const move of [...begun, ...moves]) {
          order = stepOrder(order, move).order;
          seen.add(order.venue);
          seen.add(order.pending);
        }
      }),
      { numRuns: 500, seed: 1 },
    );
    for (const want of [
      ...VENUE_STATUSES,
      'cancel-unknown',
      'cancel-acked',
      'replace-acked',
      'replace-unknown',
    ])
      expect(seen).toContain(want);
  });
});

function newModel(): Model {
  return { stage: 'drafted', id: undefined, rows: new Map(), filled: 0, cancelWanted: false };
}
