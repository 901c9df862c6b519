import { normalCdf, normalDensity, normalQuantile } from '../normal.ts';
import type { Point } from './search.ts';
import type { Dimension } from './search-space.ts';

/** Number of latest trials with full weight; older ones weigh less with age. */
const FULL_WEIGHT = 25;

/** One dimension of a mixture: centre, width and mass within the bounds of each kernel; for choices, the choice. */
interface Margin {
  readonly dimension: Dimension;
  readonly low: number;
  readonly high: number;
  readonly centre: Float64Array;
  readonly width: Float64Array;
  /** Natural logarithm of the mass within the bounds, and of the width. */
  readonly logScale: Float64Array;
}

/**
 * A density over a search space: one kernel for each point, in the order in which they were tried, and one that
 * covers the whole space. A kernel is a product of truncated normal distributions, as wide as the distance of its
 * neighbours in each dimension, and of weights of choices.
 */
export class ProductMixture {
  readonly #margins: readonly Margin[];
  readonly #weights: Float64Array;
  readonly #logWeights: Float64Array;
  readonly #terms: Float64Array;

  constructor(dimensions: readonly Dimension[], points: readonly Point[]) {
    this.#weights = weightsOf(points.length);
    this.#logWeights = this.#weights.map(Math.log);
    this.#terms = new Float64Array(this.#weights.length);
    this.#margins = dimensions.map((dimension, at) =>
      marginOf(
        dimension,
        points.map((point) => point[at] as number),
      ),
    );
  }

  draw(random: () => number): Point {
    let kernel = 0;
    for (
      let left = random() - (this.#weights[0] as number);
      left > 0 && kernel < this.#weights.length - 1;
    ) {
      kernel += 1;
      left -= this.#weights[kernel] as number;
    }
    return this.#margins.map((margin) => drawFrom(margin, kernel, this.#weights.length, random()));
  }

  logDensity(point: Point): number {
    const terms = this.#terms;
    terms.set(this.#logWeights);
    for (const [at, margin] of this.#margins.entries()) addLogDensity(margin, point[at] as number, terms);
    let most = Number.NEGATIVE_INFINITY;
    for (const term of terms) if (term > most) most = term;
    let sum = 0;
    for (const term of terms) sum += Math.exp(term - most);
    return most + Math.log(sum);
  }
}

/** Weights of the points, then of the kernel over the whole space. */
function weightsOf(count: number): Float64Array {
  const weights = new Float64Array(count + 1).fill(1);
  const ramp = count - FULL_WEIGHT;
  for (let at = 0; at < ramp; at += 1)
    weights[at] = ramp === 1 ? 1 / count : 1 / count + (at / (ramp - 1)) * (1 - 1 / count);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function marginOf(dimension: Dimension, places: readonly number[]): Margin {
  const kernels = places.length + 1;
  const [low, high] = dimension.kind === 'range' ? [0, 1] : [-0.5, dimension.count - 0.5];
  const centre = new Float64Array(kernels);
  const width = new Float64Array(kernels);
  const logScale = new Float64Array(kernels);
  for (const [at, place] of places.entries()) centre[at] = place;
  if (dimension.kind === 'choices') return { dimension, low, high, centre, width, logScale };
  const order = places
    .map((_, at) => at)
    .toSorted((one, other) => (places[one] ?? 0) - (places[other] ?? 0) || one - other);
  const narrowest = (high - low) / Math.min(100, kernels + 1);
  for (const [rank, at] of order.entries()) {
    const own = places[at] as number;
    const before = places[order[rank - 1] ?? -1];
    const after = places[order[rank + 1] ?? -1];
    // The outermost points use only their inner neighbour: the bounds do not show how dense the points are.
    const isAlone = places.length < 2;
    const left = before !== undefined ? own - before : isAlone ? own - low : 0;
    const right = after !== undefined ? after - own : isAlone ? high - own : 0;
    width[at] = Math.min(high - low, Math.max(narrowest, left, right));
  }
  centre[kernels - 1] = (low + high) / 2;
  width[kernels - 1] = high - low;
  for (let at = 0; at < kernels; at += 1) {
    const [middle, spread] = [centre[at] as number, width[at] as number];
    const mass = fastCdf((high - middle) / spread) - fastCdf((low - middle) / spread);
    logScale[at] =
      Math.log(mass) + (dimension.kind === 'range' ? Math.log(spread * Math.sqrt(2 * Math.PI)) : 0);
  }
  return { dimension, low, high, centre, width, logScale };
}

function drawFrom(margin: Margin, kernel: number, kernels: number, share: number): number {
  const { dimension, low, high } = margin;
  const centre = margin.centre[kernel] as number;
  const width = margin.width[kernel] as number;
  if (dimension.kind === 'choices') {
    const { count } = dimension;
    const isOfPoint = kernel < kernels - 1;
    const own = isOfPoint ? ownChoiceWeight(kernels, count) : 0;
    // The part of the share below the weight of the kernel's choice is that choice; the rest is divided evenly.
    const rest = isOfPoint ? own - otherChoiceWeight(kernels, count) : 0;
    if (share < rest) return centre;
    return Math.min(count - 1, Math.floor(((share - rest) / (1 - rest)) * count));
  }
  const from = fastCdf((low - centre) / width);
  const to = fastCdf((high - centre) / width);
  const place = Math.min(high, Math.max(low, centre + width * normalQuantile(from + share * (to - from))));
  return dimension.kind === 'range' ? place : Math.min(dimension.count - 1, Math.max(0, Math.round(place)));
}

/** A kernel weights its own choice by one more than the whole space's share of each choice. */
function ownChoiceWeight(kernels: number, count: number): number {
  return (1 + 1 / kernels) / (1 + count / kernels);
}

function otherChoiceWeight(kernels: number, count: number): number {
  return 1 / kernels / (1 + count / kernels);
}

function addLogDensity(
  { dimension, centre, width, logScale }: Margin,
  place: number,
  terms: Float64Array,
): void {
  const kernels = terms.length;
  switch (dimension.kind) {
    case 'range':
      for (let at = 0; at < kernels; at += 1) {
        const off = (place - (centre[at] as number)) / (width[at] as number);
        terms[at] = (terms[at] as number) - 0.5 * off * off - (logScale[at] as number);
      }
      return;
    case 'ordered':
      for (let at = 0; at < kernels; at += 1) {
        const off = place - (centre[at] as number);
        const spread = width[at] as number;
        const mass = fastCdf((off + 0.5) / spread) - fastCdf((off - 0.5) / spread);
        terms[at] = (terms[at] as number) + Math.log(Math.max(mass, LEAST_MASS)) - (logScale[at] as number);
      }
      return;
    case 'choices': {
      const own = Math.log(ownChoiceWeight(kernels, dimension.count));
      const other = Math.log(otherChoiceWeight(kernels, dimension.count));
      for (let at = 0; at < kernels - 1; at += 1)
        terms[at] = (terms[at] as number) + (centre[at] === place ? own : other);
      terms[kernels - 1] = (terms[kernels - 1] as number) - Math.log(dimension.count);
    }
  }
}

const LEAST_MASS = 1e-12;
const TABLE_END = 8;
const TABLE_STEPS = 64;
const TABLE_SIZE = 2 * TABLE_END * TABLE_STEPS + 1;
const CDF = Float64Array.from({ length: TABLE_SIZE }, (_, at) => normalCdf(at / TABLE_STEPS - TABLE_END));
const SLOPE = Float64Array.from(
  { length: TABLE_SIZE },
  (_, at) => normalDensity(at / TABLE_STEPS - TABLE_END) / TABLE_STEPS,
);

/**
 * The standard normal distribution to about 1e-10, by cubic interpolation in a table: a search calls it millions of
 * times.
 */
function fastCdf(x: number): number {
  const place = (x + TABLE_END) * TABLE_STEPS;
  if (!(place > 0)) return 0;
  if (place >= TABLE_SIZE - 1) return 1;
  const at = Math.floor(place);
  const share = place - at;
  const [left, right] = [CDF[at] as number, CDF[at + 1] as number];
  const [slopeLeft, slopeRight] = [SLOPE[at] as number, SLOPE[at + 1] as number];
  const off = 1 - share;
  return (
    (1 + 2 * share) * off * off * left +
    share * off * off * slopeLeft +
    share * share * (3 - 2 * share) * right -
    share * share * off * slopeRight
  );
}
