import { TALIB_CALLS } from './columns.ts';
import { MARKETS } from './markets.ts';

/** Prints what `make.py` wants to know: the bars of each market, and which function of TA-Lib to run on which columns. */
const FIELDS = ['open', 'high', 'low', 'close', 'volume'] as const;

const markets = Object.fromEntries(
  Object.entries(MARKETS).map(([name, bars]) => [
    name,
    Object.fromEntries(FIELDS.map((field) => [field, [...bars[field]]])),
  ]),
);
const calls = TALIB_CALLS.map(({ id, fn, inputs, params }) => ({ id, fn, inputs, params }));
process.stdout.write(JSON.stringify({ every: 29, markets, calls }));
