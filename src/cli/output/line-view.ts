import { printable } from '../../model/printable.ts';
import { DAY_MS, HOUR_MS, utcDay } from '../../model/time.ts';
import { equityFigure, minuteText, TEXT_COLUMNS } from '../../reports/format.ts';
import { inkFor } from '../../reports/ink.ts';
import { originLabel } from '../../reports/origin.ts';
import { STAGES, shortLabel } from './stages.ts';
import type { View, ViewSink, ViewSpan, ViewUpdate } from './view.ts';

/** Maximum number of plain lines of one run, including headings and the last one. */
export const PLAIN_LINES_MAX = 40;

const HEADINGS = 2;
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

/** Market time between two plain lines: the shortest step (hour to year) that keeps a run within its lines. */
export function lineStepMs(spanMs: number): number {
  const least = spanMs / (PLAIN_LINES_MAX - HEADINGS - 1);
  return STEPS_MS.find((step) => step >= least) ?? least;
}

/** A view for files and pipes: a heading and occasional lines, usually at most 80 columns wide. */
export function lineView(sink: ViewSink, { from, to, isEndless = false }: ViewSpan): View {
  const span = to - from;
  const step = isEndless ? HOUR_MS : lineStepMs(span);
  let gate = '';
  let written = 0;
  let due = Number.NEGATIVE_INFINITY;
  let ended = false;
  let latest: ViewUpdate | undefined;
  const line = (update: ViewUpdate): void => {
    if (written === 0) {
      sink.write(`${shortLabel(update.label)}  ${originLabel(update.origin, inkFor(false))}\n`);
      sink.write(`${headingLine(update, span)}\n`);
      written = HEADINGS;
    }
    sink.write(`${plainLine(update, span)}\n`);
    written += 1;
    latest = undefined;
  };
  return {
    show: (update) => {
      if (ended) return;
      latest = update;
      const causes = update.gateTexts ?? [];
      if (causes.join('\n') !== gate) {
        gate = causes.join('\n');
        const stamp = minuteText(update.marketTime);
        const lines = causes.length === 0 ? ['Gate is active'] : causes.map(causeLine);
        for (const line of lines) sink.write(`${stamp}  ${line}\n`);
      }
      if (update.marketTime < due || (!isEndless && written >= PLAIN_LINES_MAX - 1)) return;
      due = Math.max(update.marketTime, from) + step;
      line(update);
    },
    say: (text) => sink.write(text),
    end: (update) => {
      const last = update ?? latest;
      if (!ended && last !== undefined) line(last);
      ended = true;
    },
  };
}

function causeLine(text: string, at: number): string {
  return printable(`${at === 0 ? 'Gate is' : '   also'} ${text}`, 300);
}

/** The heading of plain lines. */
function headingLine({ currency }: ViewUpdate, spanMs: number): string {
  const cells = STAGES.map(({ name, cells }) => name.padStart(cells));
  return row('UTC', cells, `equity ${currency}`, spanMs);
}

/** One update as one plain line: time, counts so far, and equity. */
function plainLine({ marketTime, flow, equity }: ViewUpdate, spanMs: number): string {
  const time = isLong(spanMs) ? utcDay(marketTime) : minuteText(marketTime);
  const cells = STAGES.map(({ name, cells }) => String(flow[name]).padStart(cells));
  return row(time, cells, equityFigure(equity), spanMs);
}

function row(time: string, cells: readonly string[], equity: string, spanMs: number): string {
  const left = `${time.padEnd(isLong(spanMs) ? 10 : 16)}${cells.join('')}`;
  return `${left} ${equity.padStart(TEXT_COLUMNS - 1 - left.length)}`;
}

function isLong(spanMs: number): boolean {
  return spanMs > LONG_RUN_DAYS * DAY_MS;
}
