import { mkdirSync, writeFileSync } from 'node:fs';
import { tradingDaysBetween } from '../markets/calendar.ts';
import { LARGE_CAP_MARGIN } from '../markets/margin.ts';
import { midnightOf } from '../markets/sessions.ts';
import type { BarColumns } from '../model/bar.ts';
import { columnsOfRows } from '../model/bar-columns.ts';
import type { Security } from '../model/security.ts';
import { type SecuritySymbol, securitySymbol } from '../model/symbol.ts';
import { calendarDay } from '../model/time.ts';
import { writeBars } from './csv-text.ts';
import { writeSecurity } from './security-file.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/* Regenerates the generated daily series, byte for byte: `node src/market-data/generate-templates.ts`. */

/** One series: a random walk with a common and an own part. */
interface Walker {
  readonly symbol: SecuritySymbol;
  readonly name: string;
  readonly level: number;
  /** Factor on the common daily move. */
  readonly common: number;
  /** Typical own move per day, as a share of the price; half of the accumulated deviation decays in `back` days. */
  readonly own: number;
  readonly back: number;
}

const walker = (symbol: string, name: string, figures: Omit<Walker, 'symbol' | 'name'>): Walker => ({
  symbol: securitySymbol(symbol),
  name,
  ...figures,
});

const SETS: Readonly<Record<string, { readonly seed: number; readonly walkers: readonly Walker[] }>> = {
  pairs: {
    seed: 20230103,
    walkers: [
      walker('ALPHA.US', 'Generated Alpha', { level: 80, common: 1, own: 0.008, back: 8 }),
      walker('BETA.US', 'Generated Beta', { level: 120, common: 1, own: 0.008, back: 8 }),
    ],
  },
  rebalance: {
    seed: 20230104,
    walkers: [
      walker('STOCKS.US', 'Generated Stocks', { level: 100, common: 1.2, own: 0.004, back: 200 }),
      walker('BONDS.US', 'Generated Bonds', { level: 100, common: -0.2, own: 0.003, back: 100 }),
      walker('GOLD.US', 'Generated Gold', { level: 100, common: 0, own: 0.009, back: 300 }),
    ],
  },
  sectors: {
    seed: 20230105,
    walkers: [
      ...['Energy', 'Metals', 'Makers', 'Retail', 'Food', 'Health', 'Banks', 'Chips', 'Phones', 'Power'],
    ].map((name, place) =>
      walker(`${name.toUpperCase()}.US`, `Generated ${name}`, {
        level: 40 + 10 * place,
        common: 0.8 + 0.05 * place,
        own: 0.011,
        back: 200,
      }),
    ),
  },
};

const COMMON_MOVE = 0.009;
const METHOD =
  'src/market-data/generate-templates.ts: a common walk, and what each strays from it and makes good';

/** Returns the files of all generated daily series: path below `backtest-data` to text. */
export function generatedSeries(): ReadonlyMap<string, string> {
  const files = Object.values(SETS).flatMap(({ seed, walkers }) =>
    walkers.flatMap((each, place): [string, string][] => [
      [`${each.symbol}/1d.csv`, writeBars(barsOf(each, seed, place + 1))],
      [`${each.symbol}/security.json`, writeSecurity(securityOf(each, seed))],
      [`${each.symbol}/README.md`, originOf(each, seed)],
    ]),
  );
  return new Map(files);
}

function originOf({ symbol, name }: Walker, seed: number): string {
  return `# ${symbol}: generated days, not a real share

Daily bars of 2023 and 2024 of something **that does not exist** ("${name}"), made from the seed ${seed} by
\`src/market-data/generate-templates.ts\`; a test holds them equal, byte for byte. They show how Sluice works. **A profit on them
proves nothing.**
`;
}

/** Uses only sums, products and quotients, which every machine rounds identically. */
function barsOf({ symbol, level, common, own, back }: Walker, seed: number, place: number): BarColumns {
  const shared = seededRandom(seed);
  const random = seededRandom(seed + place);
  const days = tradingDaysBetween('US', calendarDay('2023-01-03'), calendarDay('2024-12-31'));
  const rows: number[][] = [];
  let [walk, strayed, last] = [1, 0, level];
  for (const day of days) {
    walk *= 1 + common * COMMON_MOVE * shared.normal();
    strayed = strayed * (1 - 0.5 / back) + own * random.normal();
    const close = cents(level * walk * (1 + strayed));
    rows.push([midnightOf('US', day), ...barTo(last, close, random)]);
    last = close;
  }
  return columnsOfRows({ symbol, period: '1d' }, rows);
}

/** Returns open, high, low, close and volume of a day that ends at `close`. */
function barTo(last: number, close: number, random: SeededRandom): readonly number[] {
  const open = cents(last + (close - last) * random.uniform() * 0.5);
  const beyond = (): number => 0.004 * last * random.uniform();
  const high = cents(Math.max(open, close) + beyond());
  const low = cents(Math.min(open, close) - beyond());
  return [open, high, low, close, 100_000 + 1_000 * Math.floor(900 * random.uniform())];
}

function cents(price: number): number {
  return Math.max(1, Math.round(price * 100)) / 100;
}

function securityOf({ symbol, name }: Walker, seed: number): Security {
  return {
    symbol,
    names: { en: name, zhCn: `${name}（生成数据）`, zhHk: `${name}（生成數據）` },
    kind: 'etf',
    board: 'USMain',
    currency: 'USD',
    lotSize: 1,
    margin: LARGE_CAP_MARGIN,
    tradable: true,
    origin: { kind: 'generated', seed, method: METHOD },
  };
}

if (import.meta.main) {
  for (const [path, text] of generatedSeries()) {
    const file = new URL(`../../backtest-data/${path}`, import.meta.url);
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  }
}
