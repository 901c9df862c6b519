import { dayOf, midnightOf } from '../../markets/sessions.ts';
import type { Bar } from '../../model/bar.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, SECOND_MS } from '../../model/time.ts';
import { figureText } from '../../wire/mapper/bar.ts';
import { barOfRow, estimatedTurnover, lengthOf, rowAt, type VisibleBars } from './candles.ts';

/**
 * Returns the minute bars of the latest day that has any, including the open one, oldest first; empty if there are
 * none.
 */
export function minutesOfDay(minutes: VisibleBars | undefined): readonly Bar[] {
  const end = minutes === undefined ? 0 : lengthOf(minutes);
  if (minutes === undefined || end === 0) return [];
  const market = marketOf(minutes.columns.symbol);
  const from = rowAt(minutes, midnightOf(market, dayOf(market, barOfRow(minutes, end - 1).time)));
  return Array.from({ length: end - from }, (_, offset) => barOfRow(minutes, from + offset));
}

/** Returns the intraday line (18): one point per minute, with the volume-weighted average price so far. */
export function intradayLines(minutes: readonly Bar[]) {
  let volumeSoFar = 0;
  let turnoverSoFar = 0;
  return minutes.map((bar) => {
    const turnover = estimatedTurnover(bar);
    volumeSoFar += bar.volume;
    turnoverSoFar += turnover;
    return {
      price: figureText(bar.close),
      timestamp: secondsOf(bar.time),
      volume: BigInt(Math.round(bar.volume)),
      turnover: figureText(turnover),
      avgPrice: figureText(volumeSoFar === 0 ? bar.close : rounded(turnoverSoFar / volumeSoFar)),
    };
  });
}

/**
 * Estimates the day's money flow, cumulated per minute: the turnover of a minute that closed above its open is
 * inflow, below its open outflow.
 */
export function capitalFlowLines(minutes: readonly Bar[]) {
  let inflow = 0;
  return minutes.map((bar) => {
    inflow += directionOf(bar) * estimatedTurnover(bar);
    return { inflow: figureText(rounded(inflow)), timestamp: secondsOf(bar.time) };
  });
}

/** Turnover of a minute from which it counts as large or medium, in the security's currency. */
const LARGE = 1_000_000;
const MEDIUM = 200_000;

/** Estimates the money flow by size: each minute counts as one order of its whole turnover. */
export function capitalDistribution(symbol: SecuritySymbol, minutes: readonly Bar[], now: Millis) {
  return {
    symbol,
    timestamp: secondsOf(minutes.at(-1)?.time ?? now),
    capitalIn: bySize(minutes.filter((bar) => directionOf(bar) > 0)),
    capitalOut: bySize(minutes.filter((bar) => directionOf(bar) < 0)),
  };
}

function bySize(minutes: readonly Bar[]) {
  const sums = { large: 0, medium: 0, small: 0 };
  for (const bar of minutes) {
    const turnover = estimatedTurnover(bar);
    sums[turnover >= LARGE ? 'large' : turnover >= MEDIUM ? 'medium' : 'small'] += turnover;
  }
  const text = (sum: number): string => figureText(rounded(sum));
  return { large: text(sums.large), medium: text(sums.medium), small: text(sums.small) };
}

function directionOf(bar: Bar): -1 | 0 | 1 {
  return bar.close > bar.open ? 1 : bar.close < bar.open ? -1 : 0;
}

function rounded(amount: number): number {
  return Math.round(amount * 1_000) / 1_000;
}

function secondsOf(time: Millis): bigint {
  return BigInt(Math.floor(time / SECOND_MS));
}
