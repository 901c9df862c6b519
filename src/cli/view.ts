import type { FlowCounts } from '../events/run-record.ts';
import { printable } from '../model/printable.ts';
import { DAY_MS, HOUR_MS, type Millis, utcDay } from '../model/time.ts';
import { countText, minuteText, moneyText, percentText, TEXT_COLUMNS } from '../reports/format.ts';
import { type Ink, inkFor } from '../reports/ink.ts';
import { type OriginKind, originLabel } from '../reports/origin.ts';

/** How a run stands at one instant of market time. */
export interface ViewUpdate {
  readonly marketTime: Millis;
  readonly flow: FlowCounts;
  /** NaN while the account was not read, or a price is missing. */
  readonly equity: number;
  readonly currency: string;
  /** What runs, for example `sma-cross on SPX.US`. */
  readonly label: string;
  readonly origin: OriginKind;
}

/** Where a view writes: standard output, or a list in a test. */
export interface ViewSink {
  readonly isTTY: boolean;
  write(text: string): void;
}

/** What a view needs to know before the first update. */
export interface ViewOptions {
  readonly colour: boolean;
  /** The run's first and last instant of market time: they pace plain lines and the progress bar. */
  readonly from: Millis;
  readonly to: Millis;
}

/** A view of one run: shows updates while it goes, and the last one when it ends. */
export interface View {
  /** Shows where the run stands; the caller decides how often. */
  show(update: ViewUpdate): void;
  /** Shows the last update for good, whether or not its time for a line has come; later calls do nothing. */
  end(update?: ViewUpdate): void;
}

/** Most plain lines of one run, the last one included. */
export const PLAIN_LINES_MAX = 40;

/** Opens a view: drawn in place on a terminal, a bounded number of plain lines anywhere else. */
export function openView(sink: ViewSink, options: ViewOptions): View {
  return sink.isTTY ? panelView(sink, options) : lineView(sink, options);
}

const BAR_CELLS = 30;

/** The drawn view of one update: a few lines of at most 80 columns without line breaks. */
export function panelLines(update: ViewUpdate, options: ViewOptions): readonly string[] {
  const ink = inkFor(options.colour);
  const { flow } = update;
  const done = doneShare(update.marketTime, options);
  const filled = Math.round(done * BAR_CELLS);
  const bar = `${ink.accent('\u2588'.repeat(filled))}${ink.dim('\u2591'.repeat(BAR_CELLS - filled))}`;
  return [
    `${ink.bold(shortLabel(update.label))}  ${originLabel(update.origin, ink)}`,
    `${minuteText(update.marketTime)} UTC  ${bar} ${percentText(done).padStart(7)}`,
    stages(
      [
        ['quotes', flow.quotes],
        ['bars', flow.bars],
        ['signals', flow.signals],
        ['intents', flow.intents],
      ],
      ink,
    ),
    stages(
      [
        ['denied', flow.denied],
        ['orders', flow.orders],
        ['fills', flow.fills],
      ],
      ink,
    ),
    `${ink.dim('equity')} ${ink.bold(equityText(update))}`,
  ];
}

/** One update as one plain line: the instant, what flowed so far, and equity. */
export function plainLine(update: ViewUpdate, spanMs: number): string {
  const { flow } = update;
  const time = spanMs > LONG_RUN_DAYS * DAY_MS ? utcDay(update.marketTime) : minuteText(update.marketTime);
  const counts = [
    `quotes ${flow.quotes}`,
    `bars ${flow.bars}`,
    `signals ${flow.signals}`,
    `intents ${flow.intents}`,
    `denied ${flow.denied}`,
    `orders ${flow.orders}`,
    `fills ${flow.fills}`,
  ];
  return `${time}  ${counts.join(' ')}  equity ${equityText(update)}`;
}

/** Before the account was read there is no equity to tell. */
function equityText({ equity, currency }: ViewUpdate): string {
  return Number.isFinite(equity) ? moneyText(equity, currency) : 'not known yet';
}

const LONG_RUN_DAYS = 90;
const STEPS_MS: readonly number[] = [
  HOUR_MS,
  DAY_MS,
  7 * DAY_MS,
  30 * DAY_MS,
  91 * DAY_MS,
  182 * DAY_MS,
  365 * DAY_MS,
];

/** Market time between two plain lines: the shortest usual step (hour to year) that keeps a run within its lines. */
export function lineStepMs(spanMs: number): number {
  const least = spanMs / (PLAIN_LINES_MAX - 2);
  return STEPS_MS.find((step) => step >= least) ?? least;
}

function panelView(sink: ViewSink, options: ViewOptions): View {
  let drawn = 0;
  let ended = false;
  const draw = (update: ViewUpdate): void => {
    const lines = panelLines(update, options);
    const back = drawn === 0 ? '' : `\u001b[${drawn}A\r\u001b[0J`;
    sink.write(`${back}${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  return {
    show: (update) => {
      if (!ended) draw(update);
    },
    end: (update) => {
      if (!ended && update !== undefined) draw(update);
      ended = true;
    },
  };
}

function lineView(sink: ViewSink, options: ViewOptions): View {
  const span = options.to - options.from;
  const step = lineStepMs(span);
  let written = 0;
  let due = Number.NEGATIVE_INFINITY;
  let ended = false;
  let latest: ViewUpdate | undefined;
  const line = (update: ViewUpdate): void => {
    if (written === 0)
      sink.write(`${shortLabel(update.label)}  ${originLabel(update.origin, inkFor(false))}\n`);
    sink.write(`${plainLine(update, span)}\n`);
    written = written === 0 ? 2 : written + 1;
    latest = undefined;
  };
  return {
    show: (update) => {
      if (ended) return;
      latest = update;
      if (update.marketTime < due || written >= PLAIN_LINES_MAX - 1) return;
      due = Math.max(update.marketTime, options.from) + step;
      line(update);
    },
    end: (update) => {
      const last = update ?? latest;
      if (!ended && last !== undefined) line(last);
      ended = true;
    },
  };
}

function stages(counts: readonly (readonly [string, number])[], ink: Ink): string {
  return counts
    .map(([name, count]) => `${ink.dim(name)} ${countText(count).padEnd(10)}`)
    .join(' ')
    .trimEnd();
}

function doneShare(now: Millis, { from, to }: ViewOptions): number {
  return to > from ? Math.min(1, Math.max(0, (now - from) / (to - from))) : 1;
}

function shortLabel(label: string): string {
  return printable(label, TEXT_COLUMNS - 30);
}
