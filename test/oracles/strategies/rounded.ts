import { defineIndicator, type Series } from '@sluice-trading/sluice';

const PLACES = 1e8;

const rounding = defineIndicator({
  name: 'rounded8',
  start: () => (value) => Math.floor(value * PLACES + 0.5) / PLACES,
});

/** A series rounded to 8 decimals, as the oracles' rules require before any comparison. */
export function rounded(series: Series): Series {
  return rounding([series]);
}

/** `x` rounded as the oracles' rules round: half up, with a tolerance of a millionth of a step. */
export function rnd(x: number, places: number): number {
  return Math.floor(x * 10 ** places + 0.5 + 1e-6) / 10 ** places;
}

/**
 * More than any account can pay: the venue reduces it to what the account can pay at the fill, with charges and
 * spread.
 */
export const ALL_IN = 1e12;
