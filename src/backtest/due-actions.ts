import type { DueAction } from '../engine/corporate-actions.ts';
import type { DetailedRecord } from '../events/run-record.ts';
import { midnightOf } from '../markets/sessions.ts';
import { lowerBound } from '../model/bar.ts';
import type { CorporateAction } from '../model/corporate-action.ts';
import { Decimal } from '../model/decimal.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { SplitAdjustment } from '../signals/split-adjustment.ts';
import { NO_PRINT, Tape } from '../simulation/market/tape.ts';
import { DEFAULT_RULES } from '../simulation/rules.ts';
import { actionsWithin, type ReplaySetup } from './setup.ts';

/**
 * Returns when each corporate action of a replay takes effect (the first print on or after its ex-day) and the price
 * for fractional shares, without actions before `start` and after the last print. Sorted by time, ex-day, and kind
 * (dividends before splits).
 */
export function dueActions(replay: ReplaySetup, start: Millis): readonly DueAction[] {
  const actions = actionsWithin(replay);
  const tapes = tapesOf(replay, actions);
  const due = actions.flatMap((action): readonly DueAction[] => {
    const tape = tapes.get(action.symbol);
    const midnight = midnightOf(marketOf(action.symbol), action.exDay);
    if (action.kind === 'delisting') return dueDelisting(action, tape, midnight, start);
    const index = tape?.firstFrom(midnight) ?? NO_PRINT;
    if (tape === undefined || index === NO_PRINT || tape.time(index) < start) return [];
    return [{ action, at: tape.time(index), price: new Decimal(tape.price(index)) }];
  });
  return due.toSorted((one, other) => one.at - other.at || byDay(one, other) || rank(one) - rank(other));
}

/** Creates the tapes for the symbols of actions. */
function tapesOf(
  { history, rules = DEFAULT_RULES }: ReplaySetup,
  actions: readonly CorporateAction[],
): ReadonlyMap<SecuritySymbol, Tape> {
  const symbols = new Set(actions.map(({ symbol }) => symbol));
  const bars = history.filter(({ symbol }) => symbols.has(symbol));
  return new Map(bars.map((each) => [each.symbol, new Tape(each, rules.fills)]));
}

/** A delisting takes effect at midnight, and only after a first print. */
function dueDelisting(
  action: Extract<CorporateAction, { kind: 'delisting' }>,
  tape: Tape | undefined,
  at: Millis,
  start: Millis,
): readonly DueAction[] {
  const last = tape === undefined ? -1 : lowerBound(tape.columns, at) - 1;
  const close = tape?.columns.close[last];
  if (close === undefined || at < start) return [];
  return [{ action, at, price: action.price ?? new Decimal(close) }];
}

/** Orders actions by ex-day, which differ at the same time if a day has no print. */
function byDay({ action: one }: DueAction, { action: other }: DueAction): number {
  if (one.exDay === other.exDay) return 0;
  return one.exDay < other.exDay ? -1 : 1;
}

/** Returns the times of delistings, ascending. */
export function delistingsIn(decisions: DetailedRecord['decisions']): readonly Millis[] {
  return decisions.flatMap((each) =>
    each.kind === 'corporate-action' && each.action === 'delisting' ? [each.at] : [],
  );
}

const RANKS = { dividend: 0, split: 1, delisting: 2 };

function rank({ action }: DueAction): number {
  return RANKS[action.kind];
}

/** Returns the splits of a replay's symbols, ascending, including those during the warm-up. */
export function splitAdjustments(
  replay: ReplaySetup,
): ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]> {
  const actions = (replay.corporateActions ?? []).filter((action) => action.kind === 'split');
  const tapes = tapesOf(replay, actions);
  const changes = actions.flatMap(({ symbol, exDay, ratio }) => {
    const tape = tapes.get(symbol);
    const barsFrom = midnightOf(marketOf(symbol), exDay);
    // Without bars, as in live trading, prices are on the new share basis from midnight on.
    if (tape === undefined) return [{ symbol, change: { barsFrom, at: barsFrom, ratio: ratio.toNumber() } }];
    const index = tape.firstFrom(barsFrom);
    if (index === NO_PRINT) return [];
    return [{ symbol, change: { barsFrom, at: tape.time(index), ratio: ratio.toNumber() } }];
  });
  const sorted = changes.toSorted((one, other) => one.change.barsFrom - other.change.barsFrom);
  return new Map(
    [...Map.groupBy(sorted, ({ symbol }) => symbol)].map(([symbol, list]) => [
      symbol,
      list.map(({ change }) => change),
    ]),
  );
}
