/**
 * Twenty published functions to minimize, each with its usual bounds and minimum. If the minimum is in the middle of
 * the usual bounds, where CMA-ES begins, the bounds are cut off on one side. `search_referee.py` has the same
 * functions; the run compares their values. @see Surjanovic and Bingham, "Virtual Library of Simulation Experiments:
 * Test Functions and Datasets", https://www.sfu.ca/~ssurjano
 */
export interface TestFunction {
  readonly name: string;
  readonly bounds: readonly (readonly [number, number])[];
  readonly least: number;
  readonly valueAt: (x: readonly number[]) => number;
}

const TAU = 2 * Math.PI;
const cube = (size: number, from: number, to: number): readonly (readonly [number, number])[] =>
  Array.from({ length: size }, () => [from, to] as const);
const sum = (x: readonly number[], by: (value: number, at: number) => number): number =>
  x.reduce((total, value, at) => total + by(value, at), 0);

const HARTMANN = [1, 1.2, 3, 3.2];
const HARTMANN_3_A = [
  [3, 10, 30],
  [0.1, 10, 35],
  [3, 10, 30],
  [0.1, 10, 35],
];
const HARTMANN_3_P = [
  [3689, 1170, 2673],
  [4699, 4387, 7470],
  [1091, 8732, 5547],
  [381, 5743, 8828],
];
const HARTMANN_6_A = [
  [10, 3, 17, 3.5, 1.7, 8],
  [0.05, 10, 17, 0.1, 8, 14],
  [3, 3.5, 1.7, 10, 17, 8],
  [17, 8, 0.05, 10, 0.1, 14],
];
const HARTMANN_6_P = [
  [1312, 1696, 5569, 124, 8283, 5886],
  [2329, 4135, 8307, 3736, 1004, 9991],
  [2348, 1451, 3522, 2883, 3047, 6650],
  [4047, 8828, 8732, 5743, 1091, 381],
];
const SHEKEL_B = [0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5];
const SHEKEL_C = [
  [4, 1, 8, 6, 3, 2, 5, 8, 6, 7],
  [4, 1, 8, 6, 7, 9, 3, 1, 2, 3.6],
  [4, 1, 8, 6, 3, 2, 5, 8, 6, 7],
  [4, 1, 8, 6, 7, 9, 3, 1, 2, 3.6],
];

function hartmann(x: readonly number[], a: readonly number[][], p: readonly number[][]): number {
  return -sum(
    HARTMANN,
    (weight, row) =>
      weight *
      Math.exp(-sum(x, (value, at) => (a[row]?.[at] ?? 0) * (value - (p[row]?.[at] ?? 0) * 1e-4) ** 2)),
  );
}

export const TEST_FUNCTIONS: readonly TestFunction[] = [
  { name: 'sphere-5', bounds: cube(5, -4, 5.12), least: 0, valueAt: (x) => sum(x, (v) => v * v) },
  {
    name: 'sum-squares-4',
    bounds: cube(4, -7, 10),
    least: 0,
    valueAt: (x) => sum(x, (v, at) => (at + 1) * v * v),
  },
  {
    name: 'rosenbrock-3',
    bounds: cube(3, -5, 10),
    least: 0,
    valueAt: (x) => sum(x.slice(1), (v, at) => 100 * (v - (x[at] ?? 0) ** 2) ** 2 + ((x[at] ?? 0) - 1) ** 2),
  },
  {
    name: 'rastrigin-3',
    bounds: cube(3, -4, 5.12),
    least: 0,
    valueAt: (x) => 10 * x.length + sum(x, (v) => v * v - 10 * Math.cos(TAU * v)),
  },
  {
    name: 'ackley-4',
    bounds: cube(4, -20, 32.768),
    least: 0,
    valueAt: (x) =>
      -20 * Math.exp(-0.2 * Math.sqrt(sum(x, (v) => v * v) / x.length)) -
      Math.exp(sum(x, (v) => Math.cos(TAU * v)) / x.length) +
      20 +
      Math.E,
  },
  {
    name: 'griewank-3',
    bounds: cube(3, -400, 600),
    least: 0,
    valueAt: (x) =>
      sum(x, (v) => v * v) / 4000 -
      x.reduce((product, v, at) => product * Math.cos(v / Math.sqrt(at + 1)), 1) +
      1,
  },
  {
    name: 'levy-4',
    bounds: cube(4, -10, 10),
    least: 0,
    valueAt: (x) => {
      const w = x.map((v) => 1 + (v - 1) / 4);
      const last = w.at(-1) ?? 0;
      return (
        Math.sin(Math.PI * (w[0] ?? 0)) ** 2 +
        sum(w.slice(0, -1), (v) => (v - 1) ** 2 * (1 + 10 * Math.sin(Math.PI * v + 1) ** 2)) +
        (last - 1) ** 2 * (1 + Math.sin(TAU * last) ** 2)
      );
    },
  },
  {
    name: 'schwefel-2',
    bounds: cube(2, -500, 500),
    least: 2.545567497236334e-5,
    valueAt: (x) => 418.9829 * x.length - sum(x, (v) => v * Math.sin(Math.sqrt(Math.abs(v)))),
  },
  {
    name: 'styblinski-tang-3',
    bounds: cube(3, -5, 5),
    least: -39.16616570377142 * 3,
    valueAt: (x) => sum(x, (v) => v ** 4 - 16 * v * v + 5 * v) / 2,
  },
  {
    name: 'branin',
    bounds: [
      [-5, 10],
      [0, 15],
    ],
    least: 0.39788735772973816,
    valueAt: ([x = 0, y = 0]) =>
      (y - (5.1 / (4 * Math.PI ** 2)) * x * x + (5 / Math.PI) * x - 6) ** 2 +
      10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) +
      10,
  },
  {
    name: 'goldstein-price',
    bounds: cube(2, -2, 2),
    least: 3,
    valueAt: ([x = 0, y = 0]) =>
      (1 + (x + y + 1) ** 2 * (19 - 14 * x + 3 * x * x - 14 * y + 6 * x * y + 3 * y * y)) *
      (30 + (2 * x - 3 * y) ** 2 * (18 - 32 * x + 12 * x * x + 48 * y - 36 * x * y + 27 * y * y)),
  },
  {
    name: 'hartmann-3',
    bounds: cube(3, 0, 1),
    least: -3.862782147820755,
    valueAt: (x) => hartmann(x, HARTMANN_3_A, HARTMANN_3_P),
  },
  {
    name: 'hartmann-6',
    bounds: cube(6, 0, 1),
    least: -3.322368011415515,
    valueAt: (x) => hartmann(x, HARTMANN_6_A, HARTMANN_6_P),
  },
  {
    name: 'six-hump-camel',
    bounds: [
      [-3, 3],
      [-2, 2],
    ],
    least: -1.0316284534898774,
    valueAt: ([x = 0, y = 0]) => (4 - 2.1 * x * x + x ** 4 / 3) * x * x + x * y + (-4 + 4 * y * y) * y * y,
  },
  {
    name: 'beale',
    bounds: cube(2, -4.5, 4.5),
    least: 0,
    valueAt: ([x = 0, y = 0]) =>
      (1.5 - x + x * y) ** 2 + (2.25 - x + x * y * y) ** 2 + (2.625 - x + x * y ** 3) ** 2,
  },
  {
    name: 'booth',
    bounds: cube(2, -10, 10),
    least: 0,
    valueAt: ([x = 0, y = 0]) => (x + 2 * y - 7) ** 2 + (2 * x + y - 5) ** 2,
  },
  {
    name: 'zakharov-4',
    bounds: cube(4, -5, 10),
    least: 0,
    valueAt: (x) => {
      const line = sum(x, (v, at) => 0.5 * (at + 1) * v);
      return sum(x, (v) => v * v) + line ** 2 + line ** 4;
    },
  },
  {
    name: 'dixon-price-4',
    bounds: cube(4, -10, 10),
    least: 0,
    valueAt: (x) =>
      ((x[0] ?? 0) - 1) ** 2 + sum(x.slice(1), (v, at) => (at + 2) * (2 * v * v - (x[at] ?? 0)) ** 2),
  },
  {
    name: 'michalewicz-5',
    bounds: cube(5, 0, Math.PI),
    least: -4.687658179088148,
    valueAt: (x) => -sum(x, (v, at) => Math.sin(v) * Math.sin(((at + 1) * v * v) / Math.PI) ** 20),
  },
  {
    name: 'shekel-10',
    bounds: cube(4, 0, 10),
    least: -10.536443153483534,
    valueAt: (x) =>
      -sum(SHEKEL_B, (b, column) => 1 / (sum(x, (v, at) => (v - (SHEKEL_C[at]?.[column] ?? 0)) ** 2) + b)),
  },
];
