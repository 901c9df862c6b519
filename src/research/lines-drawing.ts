import { html, type Markup } from '../reports/page/markup.ts';

/** A line over equally spaced places, and how it is drawn. */
export interface DrawnLine {
  readonly values: readonly number[];
  readonly stroke: string;
  readonly width?: number;
}

const WIDTH = 1000;
const HEIGHT = 320;
const [TOP, BOTTOM, LEFT, RIGHT] = [14, 26, 84, 12];
const TICKS = 5;

export const LINES_STYLE = `
.lines { width: 100%; height: auto; }
.lines text { fill: var(--soft); font: 12px system-ui, sans-serif; }
.lines .axis { stroke: var(--line); stroke-width: 1; }
`;

/** Lines of one scale as a drawing without a script, with areas between pairs of lines behind them. */
export function linesDrawing(
  label: string,
  {
    lines,
    areas = [],
    ends,
    format,
  }: {
    readonly lines: readonly DrawnLine[];
    readonly areas?: readonly { readonly low: readonly number[]; readonly high: readonly number[] }[];
    /** Texts below the first and the last place. */
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
  const x = (at: number): string => (LEFT + (at * (WIDTH - LEFT - RIGHT)) / (count - 1)).toFixed(1);
  const y = (value: number): string =>
    (TOP + ((most - value) / (most - least)) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const points = (values: readonly number[]): readonly string[] =>
    values.map((value, at) => `${x(at)},${y(value)}`);
  const ticks = Array.from({ length: TICKS }, (_, at) => least + (at * (most - least)) / (TICKS - 1)).map(
    (value) =>
      html`<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}"></line><text x="${LEFT - 6}" y="${Number(y(value)) + 4}" text-anchor="end">${format(value)}</text>`,
  );
  const polygons = areas.map(
    ({ low, high }) =>
      html`<polygon points="${[...points(low), ...points(high).toReversed()].join(' ')}" fill="rgb(33,145,140)" opacity="0.2"></polygon>`,
  );
  const polylines = lines.map(
    ({ values, stroke, width = 1.5 }) =>
      html`<polyline points="${points(values).join(' ')}" fill="none" stroke="${stroke}" stroke-width="${width}"></polyline>`,
  );
  return html`<svg class="lines" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${ticks}${polygons}${polylines}<text x="${LEFT}" y="${HEIGHT - 8}">${ends[0]}</text><text x="${WIDTH - RIGHT}" y="${HEIGHT - 8}" text-anchor="end">${ends[1]}</text></svg>`;
}
