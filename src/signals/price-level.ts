import type { GraphNode, Series } from './series.ts';

/** Indicators whose value is a level of their first input: a mean, an extreme or an earlier value of it. */
const KEEPS_LEVEL: ReadonlySet<string> = new Set([
  ...['sma', 'ema', 'wilder', 'wma', 'zlema', 'kama', 'lag', 'highest', 'lowest', 'lineFit', 'middle'],
  ...['median', 'typical', 'weighted', 'average', 'larger', 'smaller', 'superTrend', 'sar', 'vwap'],
]);
const PRICES: ReadonlySet<string> = new Set(['open', 'high', 'low', 'close']);

/**
 * Whether a series is a price level of its bars, so that it can be drawn over them: an average, a band or an extreme
 * is; an oscillator, a difference or a volume is not. Undefined for custom indicators.
 */
export function isPriceLevel(series: Series): boolean | undefined {
  const weight = weightOf(series);
  return weight === undefined ? undefined : Math.abs(weight - 1) < 1e-9;
}

/** How often a series contains the price: 1 for a level, 0 for a difference of two levels; undefined if not known. */
function weightOf({ node, output }: Series): number | undefined {
  if (node.work.kind === 'source') return PRICES.has(node.work.field) ? 1 : 0;
  const name = nameOf(node);
  const [first, second, third] = node.inputs;
  if (typeof node.work.maker !== 'string' || name === 'longerBars') return undefined;
  if (first === undefined) return 0;
  // Sums of price times volume and of volume, and the mean of the price.
  if (name === 'vwma' && third !== undefined) return weightOf(third);
  // Further outputs are not levels, such as the age of an extreme.
  if (KEEPS_LEVEL.has(name)) return output === 0 ? weightOf(first) : 0;
  const a = weightOf(first);
  const b = second === undefined ? 0 : weightOf(second);
  switch (name) {
    case 'add':
      return a === undefined || b === undefined ? undefined : a + b;
    case 'sub':
      return a === undefined || b === undefined ? undefined : a - b;
    case 'addScaled':
      return a === undefined || b === undefined ? undefined : a + lastParameter(node) * b;
    case 'sum':
      return a === undefined ? undefined : a * lastParameter(node);
    case 'mul':
      return scaled(a, constantOf(second), 1) ?? scaled(b, constantOf(first), 1) ?? 0;
    case 'div':
      return scaled(a, constantOf(second), -1) ?? 0;
    default:
      return 0;
  }
}

function scaled(weight: number | undefined, factor: number | undefined, power: 1 | -1): number | undefined {
  return weight === undefined || factor === undefined ? undefined : weight * factor ** power;
}

function constantOf(series: Series | undefined): number | undefined {
  return series !== undefined && nameOf(series.node) === 'constant' ? lastParameter(series.node) : undefined;
}

function nameOf({ key }: GraphNode): string {
  return key.split('(', 1)[0] ?? '';
}

/** The last parameter of a node, at the end of its key: 10 of `sum(close,10)`. */
function lastParameter({ key }: GraphNode): number {
  return Number(/([^,(]+)\)$/.exec(key)?.[1]);
}
