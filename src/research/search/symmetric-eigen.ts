const SWEEPS_MAX = 60;

/**
 * Eigenvalues and eigenvectors of a symmetric matrix, row by row, by the cyclic method of Jacobi: accurate for the few dozen dimensions of
 * a search, and the same on every machine. Vectors are the columns of `vectors`.
 * @see Golub and Van Loan, "Matrix Computations", section 8.5
 */
export function symmetricEigen(
  matrix: Float64Array,
  size: number,
): { readonly values: Float64Array; readonly vectors: Float64Array } {
  const work = Float64Array.from(matrix);
  const vectors = new Float64Array(size * size);
  for (let at = 0; at < size; at += 1) vectors[at * size + at] = 1;
  const of = (row: number, column: number): number => work[row * size + column] as number;
  for (let sweep = 0; sweep < SWEEPS_MAX; sweep += 1) {
    let [off, diagonal] = [0, 0];
    for (let row = 0; row < size; row += 1) {
      diagonal += of(row, row) ** 2;
      for (let column = row + 1; column < size; column += 1) off += of(row, column) ** 2;
    }
    if (off <= diagonal * 1e-32) break;
    for (let row = 0; row < size; row += 1)
      for (let column = row + 1; column < size; column += 1) rotate(work, vectors, size, row, column);
  }
  return { values: Float64Array.from({ length: size }, (_, at) => of(at, at)), vectors };
}

/** Rotates the plane of two coordinates so that the entry between them becomes 0. */
function rotate(work: Float64Array, vectors: Float64Array, size: number, one: number, other: number): void {
  const between = work[one * size + other] as number;
  if (between === 0) return;
  const half = ((work[other * size + other] as number) - (work[one * size + one] as number)) / (2 * between);
  const tangent = (half >= 0 ? 1 : -1) / (Math.abs(half) + Math.sqrt(half * half + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  for (let at = 0; at < size; at += 1) turn(work, at * size + one, at * size + other, cosine, sine);
  for (let at = 0; at < size; at += 1) turn(work, one * size + at, other * size + at, cosine, sine);
  for (let at = 0; at < size; at += 1) turn(vectors, at * size + one, at * size + other, cosine, sine);
}

function turn(values: Float64Array, one: number, other: number, cosine: number, sine: number): void {
  const [left, right] = [values[one] as number, values[other] as number];
  values[one] = cosine * left - sine * right;
  values[other] = sine * left + cosine * right;
}
