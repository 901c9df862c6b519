import { defineIndicator, type Series } from 'sluice';

const PLACES = 1e8;

const rounding = defineIndicator({
  name: 'rounded8',
  start: () => (value) => Math.floor(value * PLACES + 0.5) / PLACES,
});

/** A series rounded to 8 decimals, as the oracles' rules want it before any comparison. */
export function rounded(series: Series): Series {
  return rounding([series]);
}
