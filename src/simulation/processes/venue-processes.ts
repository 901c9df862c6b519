import { NEVER } from '../../model/time.ts';
import { BarMatcher } from '../bar-matching/bar-matcher.ts';
import { QuotedBook } from '../matching/quoted-book.ts';
import type { VenueContext } from '../matching/venue-context.ts';
import { CorporateActionProcess } from './corporate-actions.ts';
import type { EventQueue } from './event-queue.ts';
import { ExogenousEventProcess } from './exogenous-events.ts';
import { InterestAccrual } from './interest-accrual.ts';
import { createCloseOut, type MarginCloseOut } from './margin-close-out.ts';
import { OrderReplacement } from './order-replacement.ts';
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

/** Creates the processes of one venue. */
export function createProcesses(context: VenueContext, queue: EventQueue<VenueTask>): VenueProcesses {
  const { replay, models, accounts, quotedBook, fills } = context;
  const barMatcher =
    fills.matching.kind === 'whole-bars' ? new BarMatcher({ ...context, rule: fills.matching }) : undefined;
  const corporateActions = new CorporateActionProcess({ ...context, barMatcher });
  const exogenousEvents = new ExogenousEventProcess({ ...context, corporateActions });
  const interest = new InterestAccrual(replay, accounts, models.interest);

  for (const { account, at } of interest.firstEnds()) queue.add(at, { kind: 'day-end', account });

  function perform(task: TaskWithoutOrder): void {
    switch (task.kind) {
      case 'corporate-action':
        if (task.action.kind === 'split') replay.split(task.action.symbol, task.action.ratio);
        corporateActions.apply(task.action);
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
    replacement: new OrderReplacement(context),
    closeOuts: createCloseOut(models.margin.closeOut, { ...context, barMatcher }),
    quotedBook: quotedBook && new QuotedBook({ ...context, bookOf: quotedBook }),
  };
}
