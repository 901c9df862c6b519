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
 * When each dividend and split of a replay counts, and at what price fractions are paid: at the first print on or after its
 * ex-day, as at the simulated venue. Those before `start` and after the last print are left out. In order of time and of ex-days, a
 * day's dividends before its splits.
 */
export function dueActions(replay: ReplaySetup, start: Millis): readonly DueAction[] {
  const actions = actionsWithin(replay);
  const tapes = tapesOf(replay, actions);
  const due = actions.flatMap((action): readonly DueAction[] => {
    const tape = tapes.get(action.symbol);
    const midnight = midnightOf(marketOf(action.symbol), action.exDay);
    if (action.kind === 'delisting') return delisted(action, tape, midnight, start);
    const index = tape?.firstFrom(midnight) ?? NO_PRINT;
    if (tape === undefined || index === NO_PRINT || tape.time(index) < start) return [];
    return [{ action, at: tape.time(index), price: new Decimal(tape.price(index)) }];
  });
  return due.toSorted((one, other) => one.at - other.at || byDay(one, other) || rank(one) - rank(other));
}

/** The tapes of the symbols that some actions are about. */
function tapesOf(
  { history, rules = DEFAULT_RULES }: ReplaySetup,
  actions: readonly CorporateAction[],
): ReadonlyMap<SecuritySymbol, Tape> {
  const symbols = new Set(actions.map(({ symbol }) => symbol));
  const bars = history.filter(({ symbol }) => symbols.has(symbol));
  return new Map(bars.map((each) => [each.symbol, new Tape(each, rules.fills)]));
}

/** A security ends at midnight, whether or not it prints again; nothing happens where it never printed before. */
function delisted(
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

/** Ex-days without a print count at one instant, and still one after the other. */
function byDay({ action: one }: DueAction, { action: other }: DueAction): number {
  if (one.exDay === other.exDay) return 0;
  return one.exDay < other.exDay ? -1 : 1;
}

/** When securities were paid out, ascending. */
export function delistingsIn(decisions: DetailedRecord['decisions']): readonly Millis[] {
  return decisions.flatMap((each) =>
    each.kind === 'corporate-action' && each.action === 'delisting' ? [each.at] : [],
  );
}

const RANKS = { dividend: 0, split: 1, delisting: 2 };

function rank({ action }: DueAction): number {
  return RANKS[action.kind];
}

/** When shares of a replay's symbols change, ascending; warm-up bars are split, too. */
export function splitAdjustments(
  replay: ReplaySetup,
): ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]> {
  const actions = (replay.corporateActions ?? []).filter((action) => action.kind === 'split');
  const tapes = tapesOf(replay, actions);
  const changes = actions.flatMap(({ symbol, exDay, ratio }) => {
    const tape = tapes.get(symbol);
    const barsFrom = midnightOf(marketOf(symbol), exDay);
    // Without bars to look at, as live, a run has new prices from midnight on.
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
