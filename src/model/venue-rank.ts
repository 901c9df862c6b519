import { isTerminalStatus, type ReadStatus } from './order.ts';

/**
 * Progress of an order by status: a push may only advance it.
 * @see docs/reliability.md, "States of an order"
 */
const RANKS: Readonly<Record<ReadStatus, number>> = {
  unrecognised: 40,
  NotReported: 10,
  ProtectedNotReported: 10,
  VarietiesNotReported: 10,
  WaitToNew: 20,
  NewStatus: 30,
  PartialFilledStatus: 40,
  WaitToReplace: 40,
  PendingReplaceStatus: 40,
  ReplacedNotReported: 40,
  ReplacedStatus: 40,
  WaitToCancel: 40,
  PendingCancelStatus: 40,
  FilledStatus: 100,
  RejectedStatus: 100,
  CanceledStatus: 100,
  ExpiredStatus: 100,
  PartialWithdrawal: 100,
};

/** From this rank on an unfinished order works at the exchange; there an authoritative read may also move it back. */
const WORKING_RANK = 30;

/** Returns the rank of a status: 10 not at the exchange, 20 on the way, 30 to 40 working, 100 finished. */
export function rankOf(status: ReadStatus): number {
  return RANKS[status];
}

/** True for statuses of an order that works, or is being changed, at the exchange. */
export function isWorkingStatus(status: ReadStatus): boolean {
  return RANKS[status] >= WORKING_RANK && !isTerminalStatus(status);
}
