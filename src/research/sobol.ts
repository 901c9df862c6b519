/** Degree, coefficients and first direction numbers of the primitive polynomial of each dimension from the second on. */
type Direction = readonly [degree: number, coefficients: number, first: readonly number[]];

/**
 * The first rows of `new-joe-kuo-6.21201`.
 * @see S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30, 2008
 */
const DIRECTIONS: readonly Direction[] = [
  [1, 0, [1]],
  [2, 1, [1, 3]],
  [3, 1, [1, 3, 1]],
  [3, 2, [1, 1, 1]],
  [4, 1, [1, 1, 3, 3]],
  [4, 4, [1, 3, 5, 13]],
  [5, 2, [1, 1, 5, 5, 17]],
  [5, 4, [1, 1, 5, 5, 5]],
  [5, 7, [1, 1, 7, 11, 19]],
  [5, 11, [1, 1, 5, 1, 1]],
  [5, 13, [1, 1, 1, 3, 11]],
  [5, 14, [1, 3, 5, 5, 31]],
  [6, 1, [1, 3, 3, 9, 7, 49]],
  [6, 13, [1, 1, 1, 15, 21, 21]],
  [6, 16, [1, 3, 1, 13, 27, 49]],
  [6, 19, [1, 1, 1, 15, 7, 5]],
  [6, 22, [1, 3, 1, 15, 13, 25]],
  [6, 25, [1, 1, 5, 5, 19, 61]],
  [7, 1, [1, 3, 7, 11, 23, 15, 103]],
  [7, 4, [1, 3, 7, 13, 13, 15, 69]],
];

/** Maximum number of dimensions. */
export const SOBOL_DIMENSIONS_MAX = DIRECTIONS.length + 1;
const BITS = 32;
const SCALE = 2 ** BITS;

/**
 * Yields the points of a Sobol sequence, each coordinate in [0, 1), the origin first. Throws RangeError for more
 * dimensions than there are direction numbers.
 */
export function* sobolPoints(dimensions: number): Generator<readonly number[], never> {
  if (dimensions < 1 || dimensions > SOBOL_DIMENSIONS_MAX)
    throw new RangeError(`Want 1 to ${SOBOL_DIMENSIONS_MAX} dimensions, not ${dimensions}`);
  const directions = Array.from({ length: dimensions }, (_, at) => directionNumbers(at));
  const state = new Uint32Array(dimensions);
  for (let index = 0; ; index += 1) {
    yield Array.from(state, (value) => value / SCALE);
    // Gray code: each point differs from the previous one by the direction of the lowest 0 of its index.
    const bit = 31 - Math.clz32(~index & (index + 1));
    for (let at = 0; at < dimensions; at += 1)
      state[at] = (state[at] as number) ^ (directions[at]?.[bit] as number);
  }
}

function directionNumbers(dimension: number): Uint32Array {
  const numbers = new Uint32Array(BITS);
  const row = DIRECTIONS[dimension - 1];
  if (row === undefined) {
    for (let at = 0; at < BITS; at += 1) numbers[at] = 2 ** (BITS - 1 - at);
    return numbers;
  }
  const [degree, coefficients, first] = row;
  for (let at = 0; at < BITS; at += 1) {
    if (at < degree) {
      numbers[at] = (first[at] as number) * 2 ** (BITS - 1 - at);
      continue;
    }
    const before = numbers[at - degree] as number;
    let value = before ^ (before >>> degree);
    for (let back = 1; back < degree; back += 1)
      if (((coefficients >>> (degree - 1 - back)) & 1) === 1) value ^= numbers[at - back] as number;
    numbers[at] = value;
  }
  return numbers;
}
