import { printable } from '../../model/printable.ts';
import { countText, equityFigure, minuteText, percentText, TEXT_COLUMNS } from '../../reports/format.ts';
import { type Ink, inkFor } from '../../reports/ink.ts';
import { originLabel } from '../../reports/origin.ts';
import { sparkText } from '../../reports/spark.ts';
import { STAGES, shortLabel } from './stages.ts';
import type { View, ViewSink, ViewSpan, ViewUpdate } from './view.ts';

/** Cells of the progress bar, and of the line of equity below it. */
const BAR_CELLS = 28;
const STAGE_CELLS = 11;
const LABEL_CELLS = 22;

/** What is drawn: an update, how far the run is (undefined when it has no end to come to), and equity along the bar. */
export interface Panel {
  readonly update: ViewUpdate;
  readonly done: number | undefined;
  /** Equity at each cell of the bar that is behind the run; NaN where none is known. */
  readonly equities: readonly number[];
  /** Equity at the first look; NaN before there was one. */
  readonly first: number;
}

/** The drawn view: lines of at most 80 columns without line breaks. */
export function panelLines({ update, done, equities, first }: Panel, colour: boolean): readonly string[] {
  const ink = inkFor(colour);
  const { flow, equity, currency } = update;
  const known = Number.isFinite(equity);
  const money = known ? `${ink.bold(equityFigure(equity))} ${currency}` : ink.dim('equity not known yet');
  const gain = known && first > 0 ? `  ${gainText(equity / first - 1, ink)}` : '';
  const time = `${minuteText(update.marketTime)} UTC`.padEnd(LABEL_CELLS);
  const spark = ink.accent(sparkText(equities).padEnd(BAR_CELLS));
  return [
    `${ink.bold(shortLabel(update.label))}  ${originLabel(update.origin, ink)}`,
    `${time}${done === undefined ? ink.dim('until it is stopped') : progressText(done, ink)}`,
    `${ink.dim('equity'.padEnd(LABEL_CELLS))}${spark}  ${money}${gain}`,
    ink.dim(STAGES.map(({ name }) => name.padStart(STAGE_CELLS)).join('')),
    STAGES.map(({ name }) => countCell(name, flow[name], ink)).join(''),
    ...(update.gateTexts ?? []).map((text, at) =>
      ink.bad(printable(`${at === 0 ? 'Gate is' : '   also'} ${text}`, TEXT_COLUMNS)),
    ),
  ];
}

function progressText(done: number, ink: Ink): string {
  const filled = Math.round(done * BAR_CELLS);
  const bar = `${ink.accent('\u2588'.repeat(filled))}${ink.dim('\u2591'.repeat(BAR_CELLS - filled))}`;
  return `${bar}  ${`${Math.floor(done * 100)}%`.padStart(4)}`;
}

function gainText(gain: number, ink: Ink): string {
  const text = percentText(gain, { signed: true });
  return gain < 0 ? ink.bad(text) : ink.good(text);
}

function countCell(name: string, count: number, ink: Ink): string {
  const text = countText(count).padStart(STAGE_CELLS);
  return name === 'denied' && count > 0 ? ink.bad(text) : text;
}

const ESCAPE = '\u001b[';
/** A line longer than the terminal is wide is cut there, or drawing over it would miss lines. */
const [CUT, WRAP] = [`${ESCAPE}?7l`, `${ESCAPE}?7h`];
const REST_OF_LINE = `${ESCAPE}0K`;

/** A view for terminals: some lines, drawn over again with every update. */
export function panelView(sink: ViewSink, span: ViewSpan): View {
  const equities: number[] = [];
  let first = Number.NaN;
  let drawn: readonly string[] = [];
  let ended = false;
  const back = (): string => (drawn.length === 0 ? '' : `${ESCAPE}${drawn.length}A\r`);
  const redraw = (lines: readonly string[]): void => {
    const text = lines.map((line) => `${line}${REST_OF_LINE}\n`).join('');
    const below = lines.length < drawn.length ? `${ESCAPE}0J` : '';
    sink.write(`${back()}${CUT}${text}${below}${WRAP}`);
    drawn = lines;
  };
  const draw = (update: ViewUpdate, isDone: boolean): void => {
    const done = isDone && span.isEndless !== true ? 1 : doneShare(update, span);
    if (Number.isFinite(update.equity)) {
      if (Number.isNaN(first)) first = update.equity;
      const cell = Math.min(BAR_CELLS - 1, Math.floor((done ?? 0) * BAR_CELLS));
      while (equities.length < cell) equities.push(equities.at(-1) ?? update.equity);
      equities[cell] = update.equity;
    }
    redraw(panelLines({ update, done, equities, first }, sink.colour));
  };
  return {
    show: (update) => {
      if (!ended) draw(update, false);
    },
    say: (text) => {
      const lines = ended ? [] : drawn;
      sink.write(lines.length === 0 ? text : `${back()}${ESCAPE}0J${text}`);
      drawn = [];
      if (lines.length > 0) redraw(lines);
    },
    end: (update, isDone = false) => {
      if (ended) return;
      if (update !== undefined) draw(update, isDone);
      if (drawn.length > 0) sink.write('\n');
      ended = true;
    },
  };
}

/** Elapsed share of a run's market time; undefined for a run without an end. */
function doneShare({ marketTime }: ViewUpdate, { from, to, isEndless }: ViewSpan): number | undefined {
  return to > from && isEndless !== true
    ? Math.min(1, Math.max(0, (marketTime - from) / (to - from)))
    : undefined;
}
