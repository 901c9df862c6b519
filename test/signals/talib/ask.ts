import { TALIB_CALLS } from './columns.ts';
import { MARKETS } from './markets.ts';

/** Prints the input of `make.py`: the bars of each market, and the functions of TA-Lib to run on their columns. */
const FIELDS = ['open', 'high', 'low', 'close', 'volume'] as const;

const markets = Object.fromEntries(
  Object.entries(MARKETS).map(([name, bars]) => [
    name,
    Object.fromEntries(FIELDS.map((field) => [field, [...bars[field]]])),
  ]),
);
const calls = TALIB_CALLS.map(({ id, fn, inputs, params }) => ({ id, fn, inputs, params }));
process.stdout.write(JSON.stringify({ every: 29, markets, calls }));
