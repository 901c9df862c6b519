import type { BotState } from '../events/bot-state.ts';
import type { CorporateActionBooked } from '../events/event.ts';
import type { Holding } from '../events/portfolio.ts';
import type { Recorder } from '../execution/recorder.ts';
import { type CorporateAction, dividendOn } from '../model/corporate-action.ts';
import { type Price, ZERO } from '../model/decimal.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { TaskFactory } from '../ports/task.ts';

/**
 * A dividend or split with the time from which it applies, and the price at which shares, or fractions of one, are
 * paid out.
 */
export interface DueAction {
  readonly action: CorporateAction;
  readonly at: Millis;
  readonly price: Price;
}

/** Dependencies of booking corporate actions. */
interface CorporateActionParts {
  readonly clock: Clock;
  /** Runs a task outside the event queue; its error ends the run. */
  readonly runDetached: (turn: TaskFactory<never>) => void;
  readonly state: BotState;
  readonly recorder: Recorder;
  readonly securities: ReadonlyMap<SecuritySymbol, Security>;
}

/** Books corporate actions when they are due, on the positions then. The actions must be in order of time. */
export function createCorporateActionBooker(due: readonly DueAction[], parts: CorporateActionParts) {
  const { clock, recorder, runDetached } = parts;
  let next = 0;

  /** Books what is due by now: the venue's order states at this time refer to the new shares. */
  function catchUp(): void {
    for (let action = due[next]; action !== undefined && action.at <= clock.now(); action = due[next]) {
      next += 1;
      const event = eventOf(action, parts);
      if (event !== undefined) recorder.record(event);
    }
  }

  function scheduleAction(place: number): void {
    const action = due[place];
    if (action === undefined) return;
    clock.at(action.at, 'venue', () => {
      runDetached(function* book() {
        catchUp();
        yield* [];
      });
      scheduleAction(place + 1);
    });
  }

  return {
    /** Sets a timer for each in turn, before bars close at its time: the venue's own events come first. */
    begin: () => scheduleAction(0),
    catchUp,
  };
}

/** Returns the event of an action on the position; undefined without a position. */
function eventOf(
  { action, price }: DueAction,
  { clock, state, securities }: CorporateActionParts,
): CorporateActionBooked | undefined {
  const { symbol } = action;
  const held = state.portfolio.holdings.get(symbol);
  const currency = securities.get(symbol)?.currency;
  const isHeld = held !== undefined || [...state.books.values()].some(({ holdings }) => holdings.has(symbol));
  if (!isHeld || currency === undefined) return undefined;
  const { quantity, averageCost } = held ?? { quantity: ZERO, averageCost: undefined };
  return bookedAction({ action, price }, { quantity, averageCost, currency, at: clock.now() });
}

/** Returns the event that books an action on a number of shares of its symbol. */
export function bookedAction(
  { action, price }: Pick<DueAction, 'action' | 'price'>,
  { quantity, averageCost, currency, at }: Holding & { readonly at: Millis },
): CorporateActionBooked {
  const common = {
    kind: 'corporate-action',
    at,
    action: action.kind,
    symbol: action.symbol,
    currency,
  } as const;
  if (action.kind === 'dividend') {
    const { perShare, withheld } = action;
    const terms = { perShare, ...omitUndefined({ withheld }) };
    return {
      ...common,
      quantity: ZERO,
      ...omitUndefined({ averageCost }),
      terms,
      amount: dividendOn(terms, quantity),
    };
  }
  if (action.kind === 'delisting') {
    const amount = price.times(quantity);
    return { ...common, quantity: quantity.neg(), averageCost: ZERO, terms: { paidOut: price }, amount };
  }
  const exact = quantity.times(action.ratio);
  const whole = exact.trunc();
  return {
    ...common,
    quantity: whole.minus(quantity),
    ...omitUndefined({ averageCost: averageCost?.div(action.ratio) }),
    terms: { ratio: action.ratio, price },
    amount: exact.minus(whole).times(price),
  };
}
