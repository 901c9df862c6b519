import type { FlowCounts } from '../../events/run-record.ts';
import type { Millis } from '../../model/time.ts';
import type { OriginKind } from '../../reports/origin.ts';

/** The state of a run at a market time. */
export interface ViewUpdate {
  readonly marketTime: Millis;
  readonly flow: FlowCounts;
  /** NaN until the account was read, or if a price is missing. */
  readonly equity: number;
  readonly currency: string;
  /** Name of the run, for example `sma-cross on SPX.US`. */
  readonly label: string;
  readonly origin: OriginKind;
  /** Every cause that restricts the gate, the strictest first; absent or empty without any. */
  readonly gateTexts?: readonly string[];
}

/** Output of a view: standard error, or a list in a test. */
export interface ViewSink {
  /** True if lines can be overwritten, as by a progress bar: on a terminal that is not a dumb one. */
  readonly isTTY: boolean;
  readonly colour: boolean;
  write(text: string): void;
}

/** First and last market time of the run, which determine the interval of lines. */
export interface ViewSpan {
  readonly from: Millis;
  readonly to: Millis;
  /** True for a run without an end: it prints one line an hour. */
  readonly isEndless?: boolean;
}

/** A view of one run: shows updates while it runs, and the last one when it ends. */
export interface View {
  /** Shows the current state of the run; the caller decides how often. */
  show(update: ViewUpdate): void;
  /** Writes permanent lines, such as an alarm, without mixing them with what is drawn in place. */
  say(text: string): void;
  /** Shows the last update permanently. Later calls only `say`. */
  end(update?: ViewUpdate): void;
}
