import type { AlgorithmId, AlgorithmSpec } from '../model/algorithm.ts';
import type { StateNote } from '../model/kept-state.ts';
import type { IntentId } from '../model/order.ts';
import type { Cause } from './cause.ts';
import type { EventOf, OrderEventOf } from './event-base.ts';

/** A strategy asked for an order algorithm; its orders follow as intents that name it. */
export interface AlgorithmStarted extends EventOf<'algorithm-started'> {
  readonly algorithmId: AlgorithmId;
  readonly spec: AlgorithmSpec;
  readonly reason: string;
  readonly cause: Cause;
  /** Which of the bot's strategies wants it; absent in a bot with one. */
  readonly strategy?: string;
  /** What the strategy remembers from the answer on that this is part of; absent when that changed nothing. */
  readonly note?: StateNote;
}

/** An algorithm withdraws one of its orders; the cancel follows. */
export interface AlgorithmWithdrew extends EventOf<'algorithm-withdrew'> {
  readonly algorithmId: AlgorithmId;
  readonly intentId: IntentId;
  readonly why: string;
}

/** An algorithm wants nothing more: `done` as it was meant, `canceled` because its orders were ended by another party, or `failed`. */
export interface AlgorithmEnded extends EventOf<'algorithm-ended'> {
  readonly algorithmId: AlgorithmId;
  readonly outcome: 'done' | 'canceled' | 'failed';
  readonly why: string;
}

/** A drafted order waits until the exits of the position that it closes are cancelled; risk checks it after that. */
export type IntentHeld = OrderEventOf<'intent-held'>;

/** Everything about algorithms that is worth remembering. */
export type AlgorithmEvent = AlgorithmStarted | AlgorithmWithdrew | AlgorithmEnded | IntentHeld;
