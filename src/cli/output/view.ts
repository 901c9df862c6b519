import type { FlowCounts } from '../../events/run-record.ts';
import type { Millis } from '../../model/time.ts';
import type { OriginKind } from '../../reports/origin.ts';

/** The state of a run at one instant of market time. */
export interface ViewUpdate {
  readonly marketTime: Millis;
  readonly flow: FlowCounts;
  /** NaN while the account was not read, or a price is missing. */
  readonly equity: number;
  readonly currency: string;
  /** What runs, for example `sma-cross on SPX.US`. */
  readonly label: string;
  readonly origin: OriginKind;
  /** Every cause that restricts the gate, the strictest first; absent or empty while none does. */
  readonly gateTexts?: readonly string[];
}

/** Where a view writes: standard error, or a list in a test. */
export interface ViewSink {
  /** Whether lines can be drawn over again, as a progress bar does: a terminal, and not a dumb one. */
  readonly isTTY: boolean;
  readonly colour: boolean;
  write(text: string): void;
}

/** The run's first and last instant of market time: they pace the lines. */
export interface ViewSpan {
  readonly from: Millis;
  readonly to: Millis;
  /** True for a run without an end: it prints one line an hour. */
  readonly isEndless?: boolean;
}

/** A view of one run: shows updates while it goes, and the last one when it ends. */
export interface View {
  /** Shows the current state of the run; the caller decides how often. */
  show(update: ViewUpdate): void;
  /** Writes lines that stay, such as an alarm: never through what is drawn in place. */
  say(text: string): void;
  /** Shows the last update for good, whether or not its time for a line has come. Later calls do nothing but `say`. */
  end(update?: ViewUpdate): void;
}
