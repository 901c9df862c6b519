import type { SluiceEvent } from '../events/event.ts';
import type { UnreturnedDrafts } from '../events/unreturned-drafts.ts';
import type { BarColumns } from '../model/bar.ts';
import type { Alarm } from '../model/notice.ts';
import type { Broker } from '../ports/broker.ts';
import type { Journal } from '../ports/journal.ts';
import type { SimulationOptions } from '../simulation/simulation-options.ts';

/** What a caller may put in or watch. */
export interface BacktestOptions {
  /** Kept in memory when absent. */
  readonly journal?: Journal;
  /** Path of that journal, for the report. */
  readonly journalPath?: string;
  /** Keeps every signal, order and fill as `decisions` of the record; the full engine then runs as well, with the same answers of the strategy. */
  readonly decisions?: boolean;
  readonly onEvent?: (event: SluiceEvent) => void;
  /** Changes the venue before it opens: its models, what companies do to their shares. */
  readonly venue?: (options: SimulationOptions) => SimulationOptions;
  /** Wraps the venue of the bot. */
  readonly broker?: (broker: Broker) => Broker;
  /** The bars of a symbol that the bot receives, when those are not all. The market moves by all of them. */
  readonly visibleBars?: (bars: BarColumns) => BarColumns;
  /** What hooks made and did not return before the full engine took the run over. */
  readonly unreturnedBefore?: readonly UnreturnedDrafts[];
  /** Called for every alarm of the bot, such as an order that was left out or a rule that failed. */
  readonly onAlarm?: (alarm: Alarm) => void;
  /** Called periodically with the completed share of market time of a long run, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}
