import type { SluiceEvent } from '../events/event.ts';
import type { UnreturnedDrafts } from '../events/unreturned-drafts.ts';
import type { BarColumns } from '../model/bar.ts';
import type { Alarm } from '../model/notice.ts';
import type { Broker } from '../ports/broker.ts';
import type { Journal } from '../ports/journal.ts';
import type { SimulationOptions } from '../simulation/simulation-options.ts';

export interface BacktestOptions {
  /** Absent: in memory. */
  readonly journal?: Journal;
  /** Path of that journal, for the report. */
  readonly journalPath?: string;
  /** Records every signal, order and fill as `decisions`; the full engine then runs as well. */
  readonly decisions?: boolean;
  readonly onEvent?: (event: SluiceEvent) => void;
  /** Changes the venue's options before it starts, such as its models or corporate actions. */
  readonly venue?: (options: SimulationOptions) => SimulationOptions;
  /** Wraps the venue of the bot. */
  readonly broker?: (broker: Broker) => Broker;
  /** Filters the bars that the bot receives; the market always uses all bars. */
  readonly visibleBars?: (bars: BarColumns) => BarColumns;
  /** Unreturned drafts of hooks from before the full engine took over the run. */
  readonly unreturnedBefore?: readonly UnreturnedDrafts[];
  /** Called for every alarm of the bot. */
  readonly onAlarm?: (alarm: Alarm) => void;
  /** Called periodically in a long run with the completed share of market time, 0 to 1. */
  readonly onProgress?: (share: number) => void;
}
