/** An equity line to draw: `values` start with the equity before the first close. */
export interface ChartData {
  readonly values: ArrayLike<number>;
  /** Labels under the left and the right end. */
  readonly from: string;
  readonly to: string;
  /** Text between them; omitted if it does not fit. */
  readonly title?: string;
}

/** Size of the whole drawing in characters, labels included. */
export interface ChartSize {
  readonly columns: number;
  readonly rows: number;
}

const BRAILLE = 0x2800;
/** Bits of a braille cell by dot column and dot row. */
const DOTS: readonly (readonly number[])[] = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
];

/**
 * Draws a line with braille dots, two by four per character, and labels the lowest and the highest value. A dot
 * column with several values spans all of them. Returns no lines for fewer than two values.
 */
export function equityChart({ values, from, to, title = '' }: ChartData, size: ChartSize): readonly string[] {
  if (values.length < 2) return [];
  const { low, high } = boundsOf(values, 0, values.length);
  const labels = axisLabels(high, low);
  const margin = Math.max(...labels.map((label) => label.length));
  const columns = Math.max(4, size.columns - margin - 2);
  const cells = draw(values, { low, high, columns, rows: size.rows });
  const lines = cells.map((row, index) => {
    const label = index === 0 ? labels[0] : index === size.rows - 1 ? labels[1] : '';
    const cellsText = String.fromCodePoint(...row.map((bits) => BRAILLE + bits));
    return `${(label ?? '').padStart(margin)} \u2524${cellsText}`;
  });
  const gap = Math.max(1, columns - from.length - to.length);
  const visibleTitle = title.length + 2 > gap ? '' : title;
  const left = Math.floor((gap - visibleTitle.length) / 2);
  const middle = `${' '.repeat(left)}${visibleTitle}${' '.repeat(gap - left - visibleTitle.length)}`;
  return [...lines, `${' '.repeat(margin + 2)}${from}${middle}${to}`];
}

interface Canvas extends ChartSize {
  readonly low: number;
  readonly high: number;
}

function draw(values: ArrayLike<number>, canvas: Canvas): readonly number[][] {
  const [width, height] = [canvas.columns * 2, canvas.rows * 4];
  const cells = Array.from({ length: canvas.rows }, () => new Array<number>(canvas.columns).fill(0));
  const span = canvas.high - canvas.low;
  const dotRow = (value: number): number =>
    span === 0 ? height - 1 : Math.round(((canvas.high - value) / span) * (height - 1));
  for (let x = 0; x < width; x++) {
    const { first, end } = stretch(x, width, values.length);
    const { low, high } = boundsOf(values, first, end);
    for (let y = dotRow(high); y <= dotRow(low); y++) {
      const row = cells[y >> 2];
      if (row !== undefined) row[x >> 1] = (row[x >> 1] ?? 0) | (DOTS[x & 1]?.[y & 3] ?? 0);
    }
  }
  return cells;
}

/** The values of one dot column, one of them shared with the next column so that the line has no gaps. */
function stretch(x: number, width: number, count: number): { readonly first: number; readonly end: number } {
  const first = Math.floor((x * (count - 1)) / width);
  const end = Math.min(count, Math.floor(((x + 1) * (count - 1)) / width) + 1);
  return { first, end: Math.max(end, first + 1) };
}

function boundsOf(values: ArrayLike<number>, first: number, end: number): { low: number; high: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = first; i < end; i++) {
    const value = values[i] as number;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}

/** Labels of both ends, with as many digits as are needed to distinguish them, at least two. */
function axisLabels(high: number, low: number): readonly [string, string] {
  const digits = [2, 3, 4, 5, 6].find((each) => axisLabel(high, each) !== axisLabel(low, each)) ?? 2;
  return [axisLabel(high, digits), axisLabel(low, digits)];
}

function axisLabel(value: number, digits: number): string {
  const units: readonly (readonly [number, string])[] = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ];
  const [size, letter] = units.find(([least]) => Math.abs(value) >= least) ?? [1, ''];
  return `${(value / size).toFixed(digits)}${letter}`;
}
