import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PACKAGE } from '../fixtures/built-package.ts';
import { linkPackage } from '../fixtures/link-package.ts';
import { ROOT } from './snippets.ts';

/** Prepares the folder in which a page's first command runs. */
export type Place = (folder: string) => void;

/** An empty folder; the downloaded prices are in the home folder. */
const nothingYet: Place = (folder) => put(folder, '../home/prices.csv', DAYS);

/** A clone of the repository after `npm ci`, with its configs cut to their last weeks: here they only have to run. */
const aClone: Place = (folder) => {
  for (const name of ['config', 'strategies', 'backtest-data', 'docs/cookbook', 'package.json']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  for (const name of ['src', 'bench', 'node_modules']) symlinkSync(join(ROOT, name), join(folder, name));
  shorten(folder, 'config/sma-cross.yaml', '2000-03-01', '2019-06-03');
  shorten(folder, 'config/hk-intraday.yaml', '2025-09-02', '2025-09-25');
  put(folder, 'backtest-data/700.HK/security.json', security('700.HK', 'HKMain', 'HKD', 100));
  put(folder, 'prices.csv', DAYS);
};

/** A project with a bot that has the name used on the page. */
const aBot: Place = (folder) => {
  cpSync(join(ROOT, 'templates/momentum/strategies'), join(folder, 'strategies'), { recursive: true });
  put(folder, 'package.json', '{ "private": true, "type": "module" }');
  put(
    folder,
    'config/my-bot.yaml',
    readFileSync(join(ROOT, 'templates/momentum/config/momentum.yaml'), 'utf8'),
  );
  shorten(folder, 'config/my-bot.yaml', '2015-01-02', '2019-01-02');
  mkdirSync(join(folder, 'node_modules'));
  linkPackage(PACKAGE, folder);
};

/** Files of vendors, and the facts of their securities. */
const vendorFiles: Place = (folder) => {
  put(folder, 'prices.csv', MINUTES);
  put(folder, 'AAPL.csv', DAYS);
  put(folder, 'trades.csv.gz', gzipSync(TRADES));
  put(folder, 'quotes.csv', QUOTES);
  for (const symbol of ['700.HK', '9988.HK']) {
    put(folder, `backtest-data/${symbol}/security.json`, security(symbol, 'HKMain', 'HKD', 100));
  }
  put(folder, 'backtest-data/IBM.US/security.json', security('IBM.US', 'USMain', 'USD', 1));
};

/** The starting folder of each page with shell blocks. */
export const PLACES: Readonly<Record<string, Place>> = {
  'README.md': aClone,
  'docs/getting-started.md': nothingYet,
  'docs/data.md': vendorFiles,
  'docs/operations.md': aBot,
  'docs/cookbook.md': aClone,
  'docs/performance.md': aClone,
  'docs/research.md': aClone,
  'docs/testing.md': aClone,
  'docs/venue.md': nothingYet,
};

/** Commands that a page only implies in its text, run before its first block. */
export const BEFOREHAND: Readonly<Record<string, string>> = {
  'docs/data.md': 'sluice venue --port 0',
};

const DAYS = `Date,Open,High,Low,Close,Volume
2024-01-02,187.2,188.4,183.8,185.6,82488700
2024-01-03,184.2,185.8,183.4,184.2,58414500
2024-01-04,182.2,183.0,180.8,181.8,71983600
`;
const MINUTES = `time,open,high,low,close,volume
2024-01-02T01:30:00Z,290.2,291,290,290.8,120000
2024-01-02T01:31:00Z,290.8,291.2,290.6,291,80000
`;
const TRADES = `timestamp,price,size
2024-01-02T14:30:00.100Z,161.2,100
2024-01-02T14:30:59Z,161.3,200
2024-01-02T14:31:01Z,161.25,50
`;
const QUOTES = `timestamp,bid,bid_size,ask,ask_size
2024-01-02T14:30:00Z,161.2,3,161.3,2
2024-01-02T14:30:01Z,161.21,3,161.3,2
`;

const security = (symbol: string, board: string, currency: string, lotSize: number): string =>
  JSON.stringify({
    symbol,
    names: { en: symbol, zhCn: symbol, zhHk: symbol },
    kind: 'stock',
    board,
    currency,
    lotSize,
    margin: { initial: '0.35', maintenance: '0.3', forced: '0.25' },
    tradable: true,
    origin: { kind: 'generated', seed: 0, method: 'typed by hand' },
  });

function put(folder: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Sets the first day of a config's data. Throws if the config does not begin on `from`. */
function shorten(folder: string, path: string, from: string, later: string): void {
  const text = readFileSync(join(folder, path), 'utf8');
  if (!text.includes(`from: ${from}`)) throw new Error(`${path} does not begin on ${from}`);
  writeFileSync(join(folder, path), text.replace(`from: ${from}`, `from: ${later}`));
}
