import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeBars } from '../src/market-data/csv-text.ts';
import { dayOf } from '../src/markets/sessions.ts';
import type { BarColumns } from '../src/model/bar.ts';
import type { Security } from '../src/model/security.ts';
import { millis } from '../src/model/time.ts';
import { walkBars, walkSecurity } from './walk-bars.ts';

/** Contents of a benchmark's project. */
export interface ProjectOf {
  /** Minute bars of each symbol. */
  readonly bars: number;
  readonly symbols: number;
}

const SEED = 42;

/**
 * Writes a project of one config and generated bars, laid out like a user's; returns the path of the config in it.
 */
export function writeProject(folder: string, { bars: count, symbols }: ProjectOf): string {
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'package.json'), '{"name":"bench","private":true}\n');
  const securities = Array.from({ length: symbols }, (_, place) => walkSecurity(nameOf(place), SEED + place));
  const history = securities.map((_, place) => projectBars(count, place));
  writeData(folder, securities, history);
  const [first] = history;
  const day = (at: number | undefined): string => dayOf('US', millis(at ?? Number.NaN));
  writeFileSync(
    join(folder, 'config/bench.yaml'),
    `strategy: sma-cross
symbols: [${securities.map(({ symbol }) => symbol).join(', ')}]
period: 1m
params: { fast: 10, slow: 30, weight: ${Math.floor(25 / symbols)}% }
account: { currency: USD, cash: { USD: 1000000000 } }
data: { from: ${day(first?.time[0])}, to: ${day(first?.time[count - 1])} }
charges: none
risk:
  maxOrderNotional: 1000000000 USD
  maxOrderQuantity: 1000000000 shares
  maxPositionWeight: 50%
  maxPositionQuantity: 1000000000 shares
  maxUnattendedFills: 10000
`,
  );
  return 'config/bench.yaml';
}

/** The bars of one of the project's symbols. */
export function projectBars(count: number, place = 0): BarColumns {
  return walkBars(count, SEED + place, walkSecurity(nameOf(place), SEED + place).symbol);
}

function nameOf(place: number): string {
  return place === 0 ? 'WALK' : `WALK${place}`;
}

/** Writes bars and the facts of their securities where a project has them. */
export function writeData(
  folder: string,
  securities: readonly Security[],
  history: readonly BarColumns[],
): void {
  for (const [place, security] of securities.entries()) {
    const bars = history[place];
    if (bars === undefined) throw new RangeError(`There are no bars of ${security.symbol}`);
    const data = join(folder, 'backtest-data', security.symbol);
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'security.json'), JSON.stringify(security));
    writeFileSync(join(data, `${bars.period}.csv`), writeBars(bars));
  }
}

/** Waits until the cache trusts the stamps of the files, which it does once they are two seconds old. */
export function settle(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
}
