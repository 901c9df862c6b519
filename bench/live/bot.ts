import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { PACKAGE } from '../../.ci/build-package.ts';
import { linkPackage } from '../../test/fixtures/link-package.ts';
import { openQuoteLine, type QuoteLine } from './quote-line.ts';

const MAIN = join(PACKAGE, 'src/cli/main.js');

/** The symbol whose quotes flood the bot, and the symbol whose every quote causes an order. */
export const WATCHED = '700.HK';
export const TRADED = '9988.HK';

/** A bot on its own venue, connected through a proxy for quotes. */
export interface LiveBot {
  readonly line: QuoteLine;
  readonly pid: number;
  /** Its working folder. */
  readonly project: string;
  /**
   * Microseconds from each tick to its order so far: the whole time, and the part in which no answer of the venue was
   * pending.
   */
  measured(): readonly { readonly all: number; readonly own: number }[];
  close(): Promise<void>;
}

const STRATEGY = `import { defineStrategy } from '@sluice-trading/sluice';
export default defineStrategy({
  name: 'at-each-tick',
  onQuote: ({ symbol, quote }, { orders }) =>
    symbol === '${TRADED}' ? orders.buy(symbol, 100, { type: 'LO', price: Math.floor(Number(quote.last) * 0.97) }) : undefined,
});
`;
const WATCHER = `import { crossover, defineStrategy, sma } from '@sluice-trading/sluice';
export default defineStrategy({
  name: 'watcher',
  signals: ({ bars }) => ({ cross: crossover(sma(bars.close, 10), sma(bars.close, 30)) }),
  onSignal: () => undefined,
});
`;

export interface LiveOptions {
  /** Strategy of the bot: it waits for bars, or answers each quote of the traded symbol with an order. */
  readonly strategy: 'watcher' | 'at-each-tick';
  readonly isolation: 'thread' | 'process';
  /** The folder of its project and journal. */
  readonly under: string;
}

/** Starts a venue and a bot, and resolves once the bot receives quotes. */
export async function startBot({ strategy, isolation, under }: LiveOptions): Promise<LiveBot> {
  mkdirSync(under, { recursive: true });
  const project = mkdtempSync(join(under, 'sluice-live-'));
  const children: ChildProcess[] = [];
  const close = async (): Promise<void> => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(
      children.map((child) => child.exitCode ?? new Promise((done) => child.once('close', done))),
    );
    rmSync(project, { recursive: true, force: true });
  };
  try {
    const venue = spawn(
      process.execPath,
      [
        MAIN,
        'venue',
        '--json',
        '--until-stdin-ends',
        '--port',
        '0',
        '--rate-limits',
        'off',
        '--cash',
        'HKD=1000000000',
      ],
      { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] },
    );
    children.push(venue);
    const ready: Readonly<Record<string, string>> = JSON.parse(await firstLine(venue));
    const line = await openQuoteLine(ready['quoteWs'] ?? '');
    mkdirSync(join(project, 'node_modules'));
    linkPackage(PACKAGE, project);
    writeFileSync(join(project, 'package.json'), '{"name":"bench","private":true,"type":"module"}\n');
    writeFileSync(join(project, `${strategy}.js`), strategy === 'watcher' ? WATCHER : STRATEGY);
    writeFileSync(join(project, 'bot.yaml'), configOf({ strategy, isolation }, ready, line));
    const file = join(project, 'measured.txt');
    writeFileSync(file, '');
    const bot = spawn(
      process.execPath,
      ['--import', join(import.meta.dirname, 'tick-to-order.ts'), MAIN, 'run', 'bot.yaml'],
      {
        cwd: project,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          ...{ SLUICE_APP_KEY: ready['appKey'], SLUICE_APP_SECRET: ready['appSecret'] },
          ...{ SLUICE_ACCESS_TOKEN: ready['accessToken'], BENCH_SYMBOL: TRADED, BENCH_FILE: file },
        },
      },
    );
    children.push(bot);
    let said = '';
    for (const stream of [bot.stdout, bot.stderr])
      stream?.on('data', (text) => {
        said += text;
      });
    for (let waited = 0; !line.seen.has(WATCHED) || !line.seen.has(TRADED); waited += 1) {
      if (waited > 600 || bot.exitCode !== null)
        throw new Error(`The bot heard no quotes: ${said.slice(-2_000)}`);
      await wait(100);
    }
    return {
      line,
      pid: bot.pid ?? 0,
      project,
      measured: () => measuredIn(readFileSync(file, 'utf8')),
      async close() {
        line.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function measuredIn(text: string): ReturnType<LiveBot['measured']> {
  const lines = text.split('\n').filter(Boolean);
  if (!lines.includes('budget off'))
    throw new Error('The bot has kept its call budget: its orders would be timed by that');
  return lines
    .filter((line) => line !== 'budget off')
    .map((line) => {
      const [all = Number.NaN, own = Number.NaN] = line.split(' ').map(Number);
      return { all, own };
    });
}

function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('The venue has no output');
  return new Promise((resolve, reject) => {
    createInterface({ input: stdout })
      .once('line', resolve)
      .once('close', () => reject(new Error('The venue ended')));
  });
}

function configOf(
  { strategy, isolation }: Pick<LiveOptions, 'strategy' | 'isolation'>,
  { http, tradeWs }: Readonly<Record<string, string>>,
  line: QuoteLine,
): string {
  return `strategy: ./${strategy}.js
symbols: [${WATCHED}, ${TRADED}]
period: 1m
isolation: ${isolation}
account: { currency: HKD }
risk:
  maxOrderNotional: 1000000000 HKD
  maxOrderQuantity: 1000000000 shares
  maxPositionWeight: 500%
  maxPositionQuantity: 1000000000 shares
  maxGrossExposure: 500%
  maxNetExposure: 500%
  maxOpenOrders: 1000
  maxOrderRate: 1000/min
  maxRepeats: 1000
  priceCollar: 40%
  maxQuoteAge: 1m
  maxQuoteJump: 50%
broker: { account: paper, http: "${http}", quoteWs: "${line.url}", tradeWs: "${tradeWs}" }
`;
}

/** Processor time of a process so far in milliseconds, in the kernel's steps of 10 ms. */
export function processorMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10;
}
