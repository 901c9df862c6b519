import type { BotState } from '../events/fold.ts';
import { createUntoldFills } from '../events/state-record.ts';
import type { UnreturnedDrafts } from '../events/unreturned.ts';
import { fillNews } from '../execution/order-news.ts';
import type { Millis } from '../model/time.ts';
import type { StrategyFailure } from '../ports/strategy-host.ts';
import type { Task } from '../ports/task.ts';
import type { OrderDraft } from '../strategy/order-draft.ts';
import type { FillEvent, LifeEvent, StrategyEvent } from '../strategy/strategy-event.ts';
import type { Wish } from './draft-desk.ts';
import type { EngineParts } from './engine-parts.ts';
import { checkState } from './state-keeper.ts';
import { createStrategyDesk, type StrategyDesk, type StrategyDeskParts } from './strategy-desk.ts';

/** The strategies of a bot, one or several, each asked about what concerns it. */
export interface StrategyDesks {
  decide(event: StrategyEvent): Task<never, readonly OrderDraft[]>;
  size(draft: OrderDraft, event: StrategyEvent): Task<never, Iterable<Wish>>;
  /** A strategy is at an end for another reason than an answer; with one strategy that needs no name. */
  fail(failure: StrategyFailure, strategy?: string): Task;
  /** Ends the strategy that an event is about. */
  blame(event: StrategyEvent, failure: StrategyFailure): Task;
  /** Writes down what strategies remember and no order took along. */
  keep(): void;
  /** Makes sure that all can go on with what the journal holds. Throws StrategyError. */
  check(state: BotState): void;
  /** Writes down the states that strategies begin with. */
  open(): void;
  /** Hooks that made drafts and returned nothing, so far. */
  unreturned(): readonly UnreturnedDrafts[];
  /** The begin or the end of the run, once for each strategy. */
  life(kind: LifeEvent['kind'], time: Millis): readonly LifeEvent[];
  /** Executions that the journal holds and whose answers it does not, in order. */
  untold(journal: EngineParts['journal'], time: Millis): readonly FillEvent[];
  /** Strategies that failed and are asked no more. */
  readonly quarantined: ReadonlySet<string>;
}

/** Puts each strategy at a desk of its own. With one strategy the bot ends when it fails, with several when all have. */
export function createStrategyDesks(
  parts: EngineParts,
  around: Omit<StrategyDeskParts, 'parts' | 'isLast'>,
): StrategyDesks {
  const quarantined = new Set<string>();
  const members = parts.members ?? [];
  const seats = members.length === 0 ? [alone()] : members.map(seatOf);
  const byName = new Map(seats.map((seat) => [seat.parts.strategy, seat]));
  const { state } = around.recorder;

  function alone() {
    return { parts, desk: createStrategyDesk({ ...around, parts, isLast: () => true }) };
  }

  function seatOf(member: NonNullable<EngineParts['members']>[number]) {
    const securities = new Map(
      member.symbols.flatMap((symbol) => {
        const security = parts.securities.get(symbol);
        return security === undefined ? [] : [[symbol, security] as const];
      }),
    );
    const { host, policy, name } = member;
    const own: EngineParts = { ...parts, host, policy, strategy: name, securities };
    const view = around.view.focusedOn(member);
    const isLast = (): boolean => {
      quarantined.add(name);
      return quarantined.size === members.length;
    };
    return { parts: own, desk: createStrategyDesk({ ...around, parts: own, view, owner: name, isLast }) };
  }

  /** Whose event it is: market events say so, and those about an order are of whoever wanted it. */
  function ownerOf(event: StrategyEvent): string | undefined {
    if (event.kind === 'fill') return state.order(event.fill.intentId)?.strategy;
    return event.kind === 'order' ? state.order(event.intentId)?.strategy : event.strategy;
  }

  function deskOf(event: StrategyEvent): StrategyDesk | undefined {
    if (members.length === 0) return seats[0]?.desk;
    const owner = ownerOf(event);
    return owner === undefined || quarantined.has(owner) ? undefined : byName.get(owner)?.desk;
  }

  function* fail(failure: StrategyFailure, strategy?: string): Task {
    const seat = members.length === 0 ? seats[0] : byName.get(strategy ?? '');
    if (seat !== undefined && !quarantined.has(strategy ?? '')) yield* seat.desk.fail(failure);
  }

  function* decide(event: StrategyEvent): Task<never, readonly OrderDraft[]> {
    const desk = deskOf(event);
    return desk === undefined ? [] : yield* desk.decide(event);
  }

  function* size(draft: OrderDraft, event: StrategyEvent): Task<never, Iterable<Wish>> {
    const desk = members.length === 0 ? seats[0]?.desk : byName.get(ownerOf(event) ?? '')?.desk;
    return desk === undefined ? [] : yield* desk.size(draft, event);
  }

  return {
    quarantined,
    decide,
    size,
    fail,
    blame: (event, failure) => fail(failure, ownerOf(event)),
    keep: () => {
      for (const { desk } of seats) desk.keep();
    },
    open: () => {
      for (const { desk } of seats) desk.open();
    },
    unreturned: () => seats.flatMap(({ desk }) => desk.unreturned()),
    check: (known) => {
      for (const seat of seats) checkState(known, seat.parts);
    },
    life: (kind, time) =>
      members.length === 0 ? [{ kind, time }] : members.map(({ name }) => ({ kind, time, strategy: name })),
    untold(journal, time) {
      const readers = seats
        .filter(({ parts: { host } }) => host.remembers !== undefined && host.listensTo.has('fill'))
        .map(({ parts: { strategy } }) => ({ strategy, untold: createUntoldFills(strategy) }));
      if (readers.length === 0) return [];
      for (const event of journal.replay()) for (const { untold } of readers) untold.apply(event);
      return readers.flatMap(({ strategy, untold }) =>
        untold
          .fills()
          .filter(({ intentId }) => members.length === 0 || state.order(intentId)?.strategy === strategy)
          .map((fill) => fillNews(fill, time)),
      );
    },
  };
}
