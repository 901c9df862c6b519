import { html, type Markup } from '../reports/page/markup.ts';

/** A line over equally spaced points, with its style. */
export interface ChartLine {
  readonly values: readonly number[];
  readonly stroke: string;
  readonly width?: number;
}

/** Size of the drawing before it is stretched to the page. */
const [WIDTH, HEIGHT] = [1000, 320];
const TICKS = 5;

/** Labels are text of the page, so that they keep their size on a narrow screen. */
export const LINE_CHART_STYLE = `
.lines { display: grid; grid-template-columns: auto 1fr; gap: 0 8px; margin: 16px 0 8px; color: var(--soft); font-size: 12px; line-height: 16px; }
.lines svg { width: 100%; height: clamp(160px, 30vw, 320px); overflow: visible; }
.lines polyline, .lines line { vector-effect: non-scaling-stroke; }
.lines .axis { stroke: var(--line); stroke-width: 1; }
.lines .ticks { display: flex; flex-direction: column; justify-content: space-between; text-align: right; margin: -8px 0; }
.lines .ends { grid-column: 2; display: flex; justify-content: space-between; margin-top: 6px; }
`;

/** Draws lines of one scale without a script, with areas between pairs of lines behind them. */
export function lineChart(
  label: string,
  {
    lines,
    areas = [],
    ends,
    format,
  }: {
    readonly lines: readonly ChartLine[];
    readonly areas?: readonly { readonly low: readonly number[]; readonly high: readonly number[] }[];
    /** Texts below the first and the last point. */
    readonly ends: readonly [string, string];
    readonly format: (value: number) => string;
  },
): Markup {
  const all = [
    ...lines.flatMap(({ values }) => values),
    ...areas.flatMap(({ low, high }) => [...low, ...high]),
  ];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of all) [least, most] = [Math.min(least, value), Math.max(most, value)];
  if (!(most > least)) [least, most] = [least - 1, least + 1];
  const count = Math.max(
    2,
    ...lines.map(({ values }) => values.length),
    ...areas.map(({ low }) => low.length),
  );
  const x = (at: number): string => ((at * WIDTH) / (count - 1)).toFixed(1);
  const y = (value: number): string => (((most - value) / (most - least)) * HEIGHT).toFixed(1);
  const points = (values: readonly number[]): readonly string[] =>
    values.map((value, at) => `${x(at)},${y(value)}`);
  const ticks = Array.from({ length: TICKS }, (_, at) => most - (at * (most - least)) / (TICKS - 1));
  const grid = ticks.map(
    (value) => html`<line class="axis" x1="0" x2="${WIDTH}" y1="${y(value)}" y2="${y(value)}"></line>`,
  );
  const polygons = areas.map(
    ({ low, high }) =>
      html`<polygon points="${[...points(low), ...points(high).toReversed()].join(' ')}" fill="rgb(33,145,140)" opacity="0.2"></polygon>`,
  );
  const polylines = lines.map(
    ({ values, stroke, width = 1.5 }) =>
      html`<polyline points="${points(values).join(' ')}" fill="none" stroke="${stroke}" stroke-width="${width}"></polyline>`,
  );
  return html`<div class="lines"><div class="ticks">${ticks.map((value) => html`<span>${format(value)}</span>`)}</div><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${grid}${polygons}${polylines}</svg><div class="ends"><span>${ends[0]}</span><span>${ends[1]}</span></div></div>`;
}
