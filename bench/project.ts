import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeBars } from '../src/market-data/csv-text.ts';
import { dayOf } from '../src/markets/sessions.ts';
import { millis } from '../src/model/time.ts';
import { walkBars, walkSecurity } from './walk-bars.ts';

/** What a project of a benchmark is to hold. */
export interface ProjectOf {
  /** Minute bars of each symbol. */
  readonly bars: number;
  readonly symbols: number;
}

const SEED = 42;

/** A project of one config and generated bars, as a user would lay it out; returns the config's path inside it. */
export function writeProject(folder: string, { bars: count, symbols }: ProjectOf): string {
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'package.json'), '{"name":"bench","private":true}\n');
  const written = Array.from({ length: symbols }, (_, place) => {
    const seed = SEED + place;
    const { symbol, ...security } = walkSecurity(place === 0 ? 'WALK' : `WALK${place}`, seed);
    const bars = walkBars(count, seed, symbol);
    const data = join(folder, 'backtest-data', symbol);
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'security.json'), JSON.stringify({ symbol, ...security }));
    writeFileSync(join(data, '1m.csv'), writeBars(bars));
    return { symbol, from: bars.time[0], to: bars.time[count - 1] };
  });
  const day = (at: number | undefined): string => dayOf('US', millis(at ?? Number.NaN));
  writeFileSync(
    join(folder, 'config/bench.yaml'),
    `strategy: sma-cross
symbols: [${written.map(({ symbol }) => symbol).join(', ')}]
period: 1m
params: { fast: 10, slow: 30, weight: ${Math.floor(25 / symbols)}% }
account: { currency: USD, cash: { USD: 1000000000 } }
data: { from: ${day(written[0]?.from)}, to: ${day(written[0]?.to)} }
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

/** The cache believes a file's stamps only once they are two seconds old. */
export function settle(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
}
