import { NEVER } from '../../model/time.ts';
import { BarMatcher } from '../bar-matching/bar-matcher.ts';
import type { OrderLifecycle } from '../matching/order-lifecycle.ts';
import { QuotedBook } from '../matching/quoted-book.ts';
import type { WaitingOrders } from '../matching/waiting-orders.ts';
import type { VenueOrder } from '../orders/venue-order.ts';
import { CorporateActionProcess } from './corporate-actions.ts';
import type { EventQueue } from './event-queue.ts';
import { ExogenousEventProcess } from './exogenous-events.ts';
import { InterestAccrual } from './interest-accrual.ts';
import { createCloseOut, type MarginCloseOut } from './margin-close-out.ts';
import { OrderReplacement } from './order-replacement.ts';
import type { ProcessSources } from './process-sources.ts';
import type { TaskWithoutOrder, VenueTask } from './venue-task.ts';

/** Processes of the venue besides the life of one order. */
export interface VenueProcesses {
  /** Where orders meet whole bars; undefined where they meet prints. */
  readonly barMatcher: BarMatcher | undefined;
  /** Performs a task that belongs to no order and schedules what follows from it. */
  perform(task: TaskWithoutOrder): void;
  readonly replacement: OrderReplacement;
  /** Undefined where no account is closed out. */
  readonly closeOuts: MarginCloseOut | undefined;
  /** What orders meet that arrive; undefined where they meet the last price. */
  readonly quotedBook: QuotedBook | undefined;
}

/** Creates the processes around one set of waiting orders and one order lifecycle. */
export function createProcesses(
  sources: ProcessSources & {
    readonly book: WaitingOrders;
    readonly lifecycle: OrderLifecycle;
    /** Queues an order again with its changed terms. */
    readonly rewait: (order: VenueOrder) => void;
    readonly queue: EventQueue<VenueTask>;
  },
): VenueProcesses {
  const { replay, models, accounts, securities, nextOrderId, quotedBook, book, lifecycle, rewait } = sources;
  const { queue } = sources;
  const { fills } = models;
  const shared = { replay, lifecycle, book, fills, nextOrderId };
  const barMatcher =
    fills.matching.kind === 'whole-bars' ? new BarMatcher({ ...shared, rule: fills.matching }) : undefined;
  const corporateActions = new CorporateActionProcess({
    accounts,
    fills,
    lifecycle,
    book,
    barMatcher,
    rewait,
  });
  const exogenousEvents = new ExogenousEventProcess({
    replay,
    accounts,
    nextOrderId,
    lifecycle,
    book,
    fills,
    securities,
    corporateActions,
    rewait,
  });
  const interest = new InterestAccrual(replay, accounts, models.interest);

  for (const { account, at } of interest.firstEnds()) queue.add(at, { kind: 'day-end', account });

  function perform(task: TaskWithoutOrder): void {
    switch (task.kind) {
      case 'corporate-action':
        if (task.action.kind === 'split') replay.split(task.action.symbol, task.action.ratio);
        corporateActions.apply(task.action, replay);
        return;
      case 'interfere':
        exogenousEvents.apply(task.what);
        return;
      case 'day-end': {
        interest.endDay(task.account);
        queue.add(interest.nextEnd(task.account) ?? NEVER, task);
      }
    }
  }

  return {
    barMatcher,
    perform,
    replacement: new OrderReplacement({ replay, models, lifecycle }),
    closeOuts: createCloseOut(models.margin.closeOut, { ...shared, accounts, barMatcher }),
    quotedBook: quotedBook && new QuotedBook({ bookOf: quotedBook, replay, lifecycle }),
  };
}
