import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A strategy as a new user writes it: plain TypeScript that imports "@sluice-trading/sluice" only. */
const STRATEGY = `import { crossover, defineStrategy, ema, param } from '@sluice-trading/sluice';

export default defineStrategy({
  name: 'my-first',
  params: { length: param.int({ min: 2, max: 200, default: 5, doc: 'Bars in the average' }) },
  signals: ({ bars, params }) => ({ turn: crossover(bars.close, ema(bars.close, params.length)) }),
  onSignal: (signal, { orders }) =>
    signal.direction === 'up' ? orders.targetWeight(signal.symbol, 0.5) : orders.close(signal.symbol),
});
`;

const CONFIG = `strategy: my-first
symbols: [WAVE.US]
period: 1d
params: { length: 4 }
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2024-02-01, to: 2024-12-31 }
risk:
  maxOrderNotional: 100000 USD
  maxPositionWeight: 60%
charges: none
`;

const SECURITY = {
  symbol: 'WAVE.US',
  names: { en: 'A wave', zhCn: '波', zhHk: '波' },
  kind: 'stock',
  board: 'USMain',
  currency: 'USD',
  lotSize: 1,
  margin: { initial: '0.35', maintenance: '0.3', forced: '0.25' },
  tradable: true,
  origin: { kind: 'generated', seed: 0, method: 'a sine of 20 trading days' },
};

/** Weekdays in 2024 on which New York was closed. */
const HOLIDAYS_2024 = [
  ...['2024-01-01', '2024-01-15', '2024-02-19', '2024-03-29', '2024-05-27', '2024-06-19'],
  ...['2024-07-04', '2024-09-02', '2024-11-28', '2024-12-25'],
];

const DAY_MS = 86_400_000;
const DAYS_2024 = 366;
const WAVE_DAYS = 20;

/** A price that rises and falls between 90 and 110 with a period of 20 days. */
function waveCsv(): string {
  const lines = ['timestamp,open,high,low,close,volume'];
  for (let day = 0; day < DAYS_2024; day += 1) {
    const date = new Date(Date.UTC(2024, 0, 1) + day * DAY_MS);
    const name = date.toISOString().slice(0, 10);
    if (date.getUTCDay() % 6 === 0 || HOLIDAYS_2024.includes(name)) continue;
    const at = lines.length - 1;
    const price = (index: number): number => 100 + 10 * Math.sin((2 * Math.PI * index) / WAVE_DAYS);
    const [open, close] = [price(at), price(at + 1)];
    const figures = [open, Math.max(open, close) + 0.5, Math.min(open, close) - 0.5, close];
    lines.push(`${name},${figures.map((figure) => figure.toFixed(2)).join(',')},1000000`);
  }
  return `${lines.join('\n')}\n`;
}

const NOTIFY =
  'notify: [{ use: telegram, secrets: { token: "$' + '{SLUICE_A}", chat: "$' + '{SLUICE_B}" } }]\n';

/**
 * Writes the files of a new user: a strategy, its config, a config of a shipped strategy and notifier, an invalid one,
 * and a year of prices.
 */
export function writeNewcomerFiles(folder: string): void {
  const files: Readonly<Record<string, string>> = {
    'package.json': JSON.stringify({ private: true, type: 'module' }),
    'strategies/my-first.ts': STRATEGY,
    'config/my-first.yaml': CONFIG,
    'config/shipped.yaml': `${CONFIG.replace('my-first', 'sma-cross').replace('length: 4', 'fast: 3, slow: 6')}${NOTIFY}`,
    'config/wrong.yaml': CONFIG.replace('maxOrderNotional', 'maxOrderNotion'),
    'backtest-data/WAVE.US/security.json': JSON.stringify(SECURITY),
    'backtest-data/WAVE.US/1d.csv': waveCsv(),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
