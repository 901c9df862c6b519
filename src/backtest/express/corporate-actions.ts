import type { DueAction } from '../../engine/corporate-actions.ts';
import type { BookedAction } from '../../events/run-record.ts';
import { barClose } from '../../markets/bar-span.ts';
import { midnightOf } from '../../markets/sessions.ts';
import type { CorporateAction } from '../../model/corporate-action.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { SplitAdjustment } from '../../signals/split-adjustment.ts';
import { barOf, NO_PRINT, stepOf, Tape } from '../../simulation/market/tape.ts';
import { DEFAULT_RULES } from '../../simulation/rules.ts';
import { dueActions, splitAdjustments } from '../due-actions.ts';
import { type ReplaySetup, startOf } from '../setup.ts';
import { bailOut } from './bail-out.ts';

/** A corporate action that was booked on a position. */
export interface AppliedAction extends BookedAction {
  readonly at: Millis;
  readonly place: number;
  /** Change of shares. */
  readonly shares: number;
  /** Change of cash, in units. */
  readonly cash: number;
  /** New shares per old share, by which prices are divided; undefined for a dividend. */
  readonly ratio: number | undefined;
  readonly action: CorporateAction;
}

/**
 * Returns whether the express engine supports an action: dividends and splits of the run's symbols, and delistings
 * outside the run.
 */
export function isSupportedAction(
  action: CorporateAction,
  { securities, from, to }: Pick<ReplaySetup, 'securities' | 'from' | 'to'>,
): boolean {
  const symbols = securities.map(({ symbol }) => symbol);
  // The simulated venue reports actions of unknown symbols as errors.
  if (!symbols.includes(action.symbol)) return false;
  switch (action.kind) {
    case 'dividend':
      return true;
    case 'split':
      return action.ratio.gt(0);
    case 'delisting':
      return action.exDay > to || midnightOf(marketOf(action.symbol), action.exDay) < startOf(symbols, from);
  }
}

/** The corporate actions of a run: the next one, and those that were booked. */
export class RunActions {
  /** When the next one takes effect; NEVER after the last. */
  nextAt: Millis = NEVER;
  /** Actions on open positions, oldest first. */
  readonly applied: AppliedAction[] = [];
  readonly #due: readonly DueAction[];
  readonly #adjustments: ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]>;
  #next = 0;

  /** Bails out if a split is not between two bars of its symbol. */
  constructor(setup: ReplaySetup, start: Millis) {
    const { corporateActions = [] } = setup;
    this.#due = corporateActions.length === 0 ? [] : dueActions(setup, start);
    this.#adjustments = corporateActions.length === 0 ? new Map() : splitAdjustments(setup);
    for (const { symbol, changes } of this.#splits())
      bailOutIfInsideBar(changes, new Tape(barsOf(setup, symbol), (setup.rules ?? DEFAULT_RULES).fills));
    this.nextAt = this.#due[0]?.at ?? NEVER;
  }

  takeNext(): DueAction {
    const due = this.#due[this.#next] ?? bailOut('no corporate action is due');
    this.#next += 1;
    this.nextAt = this.#due[this.#next]?.at ?? NEVER;
    return due;
  }

  /** Returns the ratio of a symbol's splits that are still due at a time. */
  ratioDue(symbol: SecuritySymbol, at: Millis): number {
    let ratio = 1;
    for (let next = this.#next; this.#due[next]?.at === at; next += 1) {
      const { action } = this.#due[next] as DueAction;
      if (action.kind === 'split' && action.symbol === symbol) ratio *= action.ratio.toNumber();
    }
    return ratio;
  }

  /** Returns the splits of a symbol, ascending, including those during the warm-up. */
  splitsOf(symbol: SecuritySymbol): readonly SplitAdjustment[] {
    return this.#adjustments.get(symbol) ?? NO_SPLITS;
  }

  get splits(): ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]> {
    return this.#adjustments;
  }

  #splits() {
    return [...this.#adjustments].map(([symbol, changes]) => ({ symbol, changes }));
  }
}

const NO_SPLITS: readonly SplitAdjustment[] = [];

function barsOf({ history }: ReplaySetup, symbol: SecuritySymbol) {
  return history.find((bars) => bars.symbol === symbol) ?? bailOut(`no bars of "${symbol}"`);
}

/** Bails out if a bar spans a split, or is open at the first print after it. */
function bailOutIfInsideBar(changes: readonly SplitAdjustment[], tape: Tape): void {
  const { columns, market } = tape;
  for (const { barsFrom } of changes) {
    const index = tape.firstFrom(barsFrom);
    if (index === NO_PRINT) continue;
    const bar = barOf(index);
    const before = bar === 0 ? undefined : millis(columns.time[bar - 1] as number);
    const closed = before === undefined ? Number.NEGATIVE_INFINITY : barClose(market, columns.period, before);
    if (stepOf(index) !== 0 || (columns.time[bar] as number) < barsFrom || closed >= tape.time(index))
      bailOut('a split inside a bar');
  }
}
