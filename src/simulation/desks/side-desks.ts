import { NEVER } from '../../model/time.ts';
import type { LaneBook } from '../matching/lane-book.ts';
import type { OrderKeeper } from '../matching/order-keeper.ts';
import { StandingBook } from '../matching/standing-book.ts';
import type { VenueOrder } from '../orders/venue-order.ts';
import { WholeBarDesk } from '../whole-bars/whole-bar-desk.ts';
import type { Agenda } from './agenda.ts';
import { type CloseOutDesk, closeOutDesk } from './close-out.ts';
import { CorporateActionDesk } from './corporate-actions.ts';
import type { DeskSources } from './desk-sources.ts';
import type { DeskTask, TaskWithoutOrder } from './desk-task.ts';
import { InterestDesk } from './interest-desk.ts';
import { InterferenceDesk } from './interference.ts';
import { ReplaceDesk } from './replace-desk.ts';

/** Those who do for the order desk what orders do not go through every day. */
export interface SideDesks {
  /** Where orders meet whole bars; undefined where they meet prints. */
  readonly wholeBars: WholeBarDesk | undefined;
  /** Does what no one order is the reason of, and puts on the agenda what follows from it. */
  perform(task: TaskWithoutOrder): void;
  readonly replaceDesk: ReplaceDesk;
  /** Undefined where nobody is closed out. */
  readonly closeOuts: CloseOutDesk | undefined;
  /** What orders meet that arrive; undefined where they meet the last price. */
  readonly standingBook: StandingBook | undefined;
}

/** Sets up the side desks around one book and one keeper. */
export function sideDesks(
  sources: DeskSources & {
    readonly book: LaneBook;
    readonly keeper: OrderKeeper;
    /** Lets an order wait anew with its changed terms. */
    readonly rewait: (order: VenueOrder) => void;
    readonly agenda: Agenda<DeskTask>;
  },
): SideDesks {
  const { floor, models, accounts, securities, nextOrderId, standingBook, book, keeper, rewait } = sources;
  const { agenda } = sources;
  const { fills } = models;
  const shared = { floor, keeper, book, fills, nextOrderId };
  const wholeBars =
    fills.matching.kind === 'whole-bars' ? new WholeBarDesk({ ...shared, rule: fills.matching }) : undefined;
  const corporateActions = new CorporateActionDesk({ accounts, fills, keeper, book, wholeBars, rewait });
  const interference = new InterferenceDesk({
    ...{ floor, accounts, nextOrderId, keeper, book, fills, securities, corporateActions, rewait },
  });
  const interest = new InterestDesk(floor, accounts, models.interest);

  for (const { account, at } of interest.firstEnds()) agenda.add(at, { kind: 'day-end', account });

  function perform(task: TaskWithoutOrder): void {
    switch (task.kind) {
      case 'corporate-action':
        if (task.action.kind === 'split') floor.split(task.action.symbol, task.action.ratio);
        corporateActions.apply(task.action, floor);
        return;
      case 'interfere':
        interference.apply(task.what);
        return;
      case 'day-end': {
        interest.endDay(task.account);
        agenda.add(interest.nextEnd(task.account) ?? NEVER, task);
      }
    }
  }

  return {
    wholeBars,
    perform,
    replaceDesk: new ReplaceDesk({ floor, models, keeper }),
    closeOuts: closeOutDesk(models.margin.closeOut, { ...shared, accounts, wholeBars }),
    standingBook: standingBook && new StandingBook({ bookOf: standingBook, floor, keeper }),
  };
}
