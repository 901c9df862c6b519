import {
  accountAssumptions,
  assumptionsOf,
  earlierChargesTexts,
  expiredExitsIn,
  expiredExitTexts,
  openingTexts,
} from '../../backtest/assumptions.ts';
import { firstDay } from '../../backtest/first-day.ts';
import { engineBounds } from '../../backtest/run-bounds.ts';
import { openingEquity, type PaperSetup, runName } from '../../backtest/setup.ts';
import { type Engine, type JournaledRun, journaledRun } from '../../engine/engine.ts';
import { type DetailedRecord, fillsAmong } from '../../events/run-record.ts';
import { unfinishedOrders } from '../../execution/reconciliation/final-reconciliation.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { type Millis, millis } from '../../model/time.ts';
import { engineShares } from '../control/bot-status.ts';
import type { TradingDependencies } from './trading-dependencies.ts';

/** Returns the record of a paper or live run that has ended, read from its engine and journal. */
export function paperRecord(
  setup: PaperSetup,
  engine: Engine,
  { start, live }: { readonly start: Millis; readonly live: boolean },
  { journalPath, journal, ownVenue }: Pick<TradingDependencies, 'journalPath' | 'journal' | 'ownVenue'>,
): DetailedRecord {
  const { equity } = engine;
  // On an account an operator may settle orders, and earlier runs may have sent some: only the journal has both.
  const { decisions, earlierCharges, earlierOrders }: JournaledRun =
    live || !ownVenue
      ? journaledRun(journal.replay(), (id) => engine.state.order(id))
      : { decisions: engine.decisions, earlierCharges: new Map(), earlierOrders: new Map() };
  const opening = engine.opening();
  const [unreturned, leftOut] = [engine.unreturned(), engine.leftOut()];
  return {
    mode: 'paper',
    strategy: runName(setup),
    config: setup.config,
    securities: setup.securities,
    currency: setup.currency,
    // Without bars (a bot on an account) the run begins when it starts; market time may differ from the machine's.
    from: setup.history.length === 0 ? start : millis(Math.max(start, firstDay(setup))),
    to: millis(equity.at(-1)?.time ?? start),
    initialEquity: openingEquity(setup),
    equity: {
      time: Float64Array.from(equity, (mark) => mark.time),
      value: Float64Array.from(equity, (mark) => mark.equity),
      exposure: Float64Array.from(equity, (mark) => mark.exposure),
    },
    flow: engine.flow(),
    decisions,
    fills: fillsAmong(decisions),
    assumptions: [
      ...(ownVenue ? assumptionsOf(setup) : accountAssumptions(setup)),
      ...expiredExitTexts(expiredExitsIn(decisions)),
      ...openingTexts(opening),
      ...earlierChargesTexts(earlierCharges),
    ],
    journal: journalPath,
    gate: engine.state.gate.standing,
    ...omitUndefined({
      opening,
      earlierOrders: earlierOrders.size === 0 ? undefined : earlierOrders,
      earlierCharges: earlierCharges.size === 0 ? undefined : earlierCharges,
      strategies: setup.members === undefined ? undefined : engineShares({ members: setup.members, engine }),
      bounds: ownVenue ? engineBounds(setup, start, (symbol) => engine.lastClose(symbol)) : undefined,
      unreturned: unreturned.length === 0 ? undefined : unreturned,
      leftOut: leftOut.length === 0 ? undefined : leftOut,
      left: ownVenue ? undefined : unfinishedOrders(engine.state),
    }),
  };
}
