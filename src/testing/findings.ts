import { plural } from '../model/plural.ts';
import { type Holdings, holdingsIn } from './holdings.ts';
import type { SituationName } from './situations.ts';
import type { StageRun } from './stage.ts';
import { endlessStint, holdingPeriods, oddNight } from './stints.ts';
import { type FillRecord, fillsIn, type ObservedOrder, ordersIn } from './strategy-outcome.ts';

/** Kinds of problems that a situation can show. */
export type FindingKind =
  | 'throws'
  | 'never-trades'
  | 'not-repeatable'
  | 'oversells'
  | 'doubles-up'
  | 'storms'
  | 'never-recovers'
  | 'never-exits'
  | 'holds-overnight'
  | 'unplaceable'
  | 'no-size';

/** A problem of a strategy, and its day. */
export interface Finding {
  readonly situation: SituationName | 'calm';
  readonly kind: FindingKind;
  /** What was observed, what it means, and what to do. */
  readonly message: string;
}

/** Results of a run that are compared between situations. */
export interface Seen {
  readonly orders: readonly ObservedOrder[];
  readonly fills: readonly FillRecord[];
  readonly error: string | undefined;
  readonly holdings: Holdings;
  /** Bars of all symbols. */
  readonly chances: number;
  /** Orders without a size or price, which were left out. */
  readonly leftOut: readonly string[];
  /** Times of all closes, epoch milliseconds. */
  readonly closes: Float64Array;
}

/** Extracts the results of a run; `chances` are its bars. */
export function seen({ events, record, error, leftOut }: StageRun, chances: number): Seen {
  return {
    orders: ordersIn(events),
    fills: fillsIn(events),
    error,
    leftOut,
    holdings: holdingsIn(events),
    chances,
    closes: record?.equity.time ?? new Float64Array(),
  };
}

/** Finds problems that show on a calm day already. */
export function calmFindings(first: Seen, again: Seen): readonly Finding[] {
  const situation = 'calm';
  if (first.error !== undefined) return [{ situation, kind: 'throws', message: first.error }];
  if (first.orders.length === 0) {
    const message =
      'It asked for no order in a market of waves, so no bad day could be tried; give it the parameters, symbols and period that it is made for';
    return [{ situation, kind: 'never-trades', message }];
  }
  const repeats =
    JSON.stringify(first.orders) === JSON.stringify(again.orders) && first.error === again.error;
  const message =
    'A second run over the same bars decided otherwise: something outlives a run (a variable of the module), or comes from clock or chance; decide from the event and the context alone';
  return [
    ...(repeats ? [] : [{ situation, kind: 'not-repeatable', message } as const]),
    ...unplaceable(situation, first),
    ...sizeless(situation, first),
  ];
}

/** Rules that deny orders that no venue accepts, on any day. */
const UNPLACEABLE: ReadonlySet<string> = new Set(['lot-and-tick', 'known-security']);
/** Situations in which prices differ or nothing can be bought: fewer orders prove nothing. */
const OTHER_MARKETS: ReadonlySet<SituationName> = new Set(['gap', 'split', 'all-rejected']);
const DOUBLED = 1.5;
/** A strategy that submitted this many orders on a calm day and at most one in a situation has stopped trading. */
const LIVELY_ORDERS = 4;

/** Finds problems in a situation that did not show on the calm day. */
export function findingsOn(situation: SituationName, calm: Seen, bad: Seen): readonly Finding[] {
  const found = (kind: FindingKind, message: string): Finding => ({ situation, kind, message });
  const findings: Finding[] = [];
  if (bad.error !== undefined) {
    const kind = bad.error.includes('orders at one instant') ? 'storms' : 'throws';
    return [found(kind, bad.error)];
  }
  const { oversale } = bad.holdings;
  if (oversale !== undefined && calm.holdings.oversale === undefined) {
    const { at, quantity, symbol } = oversale;
    const what = `At ${new Date(at).toISOString()} it asked to sell ${quantity} ${symbol} that it neither holds nor has ordered`;
    findings.push(
      found('oversells', `${what}: it counts on fills that never came; ask the context for the position`),
    );
  }
  if (situation !== 'split' && bad.holdings.most > calm.holdings.most * DOUBLED) {
    const what = `It held or had ordered up to ${plural(bad.holdings.most, 'share')}, ${calm.holdings.most} on a calm day`;
    findings.push(
      found(
        'doubles-up',
        `${what}: it orders again while an order is on its way; count openBuys and openSells, or use target orders`,
      ),
    );
  }
  // One order per bar and symbol is acceptable; the gate limits these.
  if (bad.orders.length > calm.orders.length && bad.orders.length > calm.chances) {
    const what = `It asked for ${plural(bad.orders.length, 'order')}, ${calm.orders.length} on a calm day`;
    findings.push(
      found('storms', `${what}: it asks again whenever an order fails; wait for the next signal`),
    );
  }
  if (!OTHER_MARKETS.has(situation) && calm.orders.length >= LIVELY_ORDERS && bad.orders.length <= 1) {
    const what = `It asked for ${bad.orders.length} order in all, ${calm.orders.length} on a calm day`;
    findings.push(
      found(
        'never-recovers',
        `${what}: it treats an order as done when it is requested; listen to onFill and onOrder`,
      ),
    );
  }
  findings.push(...heldPositionFindings(situation, calm, bad));
  if (calm.leftOut.length === 0) findings.push(...sizeless(situation, bad));
  return [...findings, ...(calm.orders.some(isUnplaceable) ? [] : unplaceable(situation, bad))];
}

/** Situations in which the market or the feed is unusual, and orders are processed normally. */
const MARKET_DAYS: ReadonlySet<SituationName> = new Set(['gap', 'halt', 'half-day', 'feed-loss']);

/** Finds positions that are held longer than on a calm day. */
function heldPositionFindings(situation: SituationName, calm: Seen, bad: Seen): readonly Finding[] {
  if (!MARKET_DAYS.has(situation)) return [];
  const [calmStints, badStints] = [holdingPeriods(calm.fills), holdingPeriods(bad.fills)];
  const endless = endlessStint(
    { stints: calmStints, closes: calm.closes },
    { stints: badStints, closes: bad.closes },
  );
  const night = situation === 'half-day' ? oddNight(calmStints, badStints) : undefined;
  const since = endless === undefined ? '' : new Date(endless.from).toISOString();
  return [
    ...(endless === undefined
      ? []
      : [
          {
            situation,
            kind: 'never-exits' as const,
            message: `What it bought of ${endless.symbol} at ${since} it held to the end, on a calm day it always sold: its exit waits for a price or an event that was jumped over; compare with "at or beyond", or let "exits" watch a stop`,
          },
        ]),
    ...(night === undefined
      ? []
      : [
          {
            situation,
            kind: 'holds-overnight' as const,
            message: `It held over the night of ${night}, on a calm day it is flat at every close: the session ended early and its clock did not know; use "exits" with beforeCloseMinutes, or a timer`,
          },
        ]),
  ];
}

function unplaceable(situation: Finding['situation'], { orders }: Seen): readonly Finding[] {
  const order = orders.find(isUnplaceable);
  if (order === undefined) return [];
  const message = `At ${order.time} it asked for an order that no venue takes: ${order.why}`;
  return [{ situation, kind: 'unplaceable', message }];
}

function isUnplaceable({ rule }: ObservedOrder): boolean {
  return rule !== undefined && UNPLACEABLE.has(rule);
}

function sizeless(situation: Finding['situation'], { leftOut }: Seen): readonly Finding[] {
  const [first] = leftOut;
  if (first === undefined) return [];
  const message = `${first}: a figure is missing, or something was divided by nothing; look before you divide`;
  return [{ situation, kind: 'no-size', message }];
}
