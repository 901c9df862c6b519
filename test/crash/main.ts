import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { systemRandom } from '#src/app/clock/system-random.ts';
import { createBrokerClient } from '#src/broker/connect.ts';
import { millis } from '#src/model/time.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { type Chain, type ChainResult, runChain } from './chain.ts';
import { type KillPoint, killPoints, SESSION_KINDS } from './plan.ts';

/**
 * Kills a bot at every kind of point at which it can die, restarts it, and compares its state with the venue's: `npm
 * run crash [-- --points 305 --bots 2 --only algorithms --only-documented --json]`. Exits with 1 if an order was lost
 * or doubled, if books differ, or if fewer bots died than requested. @see docs/reliability.md, F-P01, I-21 and
 * docs/crash.md
 */
const { values } = parseArgs({
  options: {
    points: { type: 'string', default: '305' },
    bots: { type: 'string', default: '2' },
    only: { type: 'string' },
    'only-documented': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

/** Maximum deaths per account: an order whose bytes never arrived freezes its symbol for good. */
const POINTS_PER_ACCOUNT = 8;
const SYMBOLS = ['700.HK', '9988.HK', 'AAPL.US', 'TSLA.US', 'SPY.US'];
const DEPLOYMENT = 'CRSH';
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
/** Factor of planned kill points to requested deaths, as a session does not always reach its point. */
const BEYOND = 1.6;

interface Account {
  readonly id?: string;
  readonly appKey: string;
  readonly appSecret: string;
  readonly accessToken: string;
}

interface VenueSaid extends Account {
  readonly http: string;
  readonly quoteWs: string;
  readonly tradeWs: string;
  readonly accounts?: readonly Account[];
}

const wanted = Number(values.points);
const scratch = mkdtempSync(join(tmpdir(), 'sluice-crash-'));
const machine = createSystemClock();
const began = machine.now();
const onlyDocumented = values['only-documented'];
/** Without cancels there are no algorithms. */
const only = onlyDocumented ? 'orders' : SESSION_KINDS.find((kind) => kind === values.only);
const points = killPoints(Math.ceil(wanted * BEYOND), only, onlyDocumented);
const groups: KillPoint[][] = [];
for (let index = 0; index < points.length; index += POINTS_PER_ACCOUNT)
  groups.push(points.slice(index, index + POINTS_PER_ACCOUNT));

const venue = await openVenue(groups.length);
try {
  const bot = await bundled(fileURLToPath(new URL('bot.ts', import.meta.url)));
  const accounts = [
    venue.said,
    ...(venue.said.accounts ?? []).filter(({ appKey }) => appKey !== venue.said.appKey),
  ];
  const chains = groups.map((group, index) => chainOf(group, accounts[index] ?? venue.said, { index, bot }));
  const results = await inParallel(chains, Number(values.bots));
  report(results);
} finally {
  venue.close();
  rmSync(scratch, { recursive: true, force: true });
}

function chainOf(
  group: readonly KillPoint[],
  account: Account,
  { index, bot }: { readonly index: number; readonly bot: string },
): Chain {
  const { http, quoteWs, tradeWs } = venue.said;
  const folder = join(scratch, `account-${index}`);
  mkdirSync(folder, { mode: 0o700 });
  const { appKey, appSecret, accessToken } = account;
  const client = createBrokerClient({
    httpUrl: http,
    quoteWsUrl: quoteWs,
    tradeWsUrl: tradeWs,
    credentials: { appKey, appSecret, accessToken },
    profile: PROFILES.documented,
    machine,
    market: () => machine.now(),
    random: systemRandom,
    deployment: DEPLOYMENT,
  });
  return {
    plan: {
      http,
      quoteWs,
      tradeWs,
      appKey,
      appSecret,
      accessToken,
      folder,
      deployment: DEPLOYMENT,
      symbols: SYMBOLS,
      onlyDocumented,
    },
    client,
    since: millis(began - 86_400_000),
    points: group,
    bot,
    cache: join(scratch, 'compiled'),
  };
}

/** Bundles a program into one file: hundreds of bots start, and half of a start is finding four hundred files. */
async function bundled(program: string): Promise<string> {
  const file = join(scratch, 'bot.mjs');
  const build = await rolldown({ input: program, platform: 'node', transform: { target: 'node24' } });
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  return file;
}

/** Starts the venue in a separate process, which keeps the true state when bots die. */
async function openVenue(accounts: number) {
  const child = spawn(
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
      '--accounts',
      String(accounts),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  for await (const line of createInterface({ input: child.stdout }))
    return { said: JSON.parse(line) as VenueSaid, close: () => child.stdin.end() };
  throw new Error('The venue ended before it was open');
}

async function inParallel(chains: readonly Chain[], bots: number): Promise<readonly ChainResult[]> {
  const waiting = [...chains];
  const results: ChainResult[] = [];
  const died = (): number => results.reduce((sum, { points }) => sum + points, 0);
  const work = async (): Promise<void> => {
    for (let chain = waiting.shift(); chain !== undefined && died() < wanted; chain = waiting.shift())
      results.push(await runChain(chain));
  };
  await Promise.all(Array.from({ length: bots }, work));
  return results;
}

function report(results: readonly ChainResult[]): void {
  const all = <T>(pick: (result: ChainResult) => readonly T[]): readonly T[] => results.flatMap(pick);
  const [lost, doubled, divergent] = [all((r) => r.lost), all((r) => r.doubled), all((r) => r.divergent)];
  const died = results.reduce((sum, result) => sum + result.points, 0);
  const compared = results.reduce((sum, result) => sum + result.compared, 0);
  const compactJournal = results.reduce((sum, result) => sum + result.compactJournal, 0);
  const seconds = Math.round((machine.now() - began) / 100) / 10;
  const figures = { points: died, lost: lost.length, doubled: doubled.length, divergent: divergent.length };
  if (values.json)
    process.stdout.write(`${JSON.stringify({ ...figures, compared, compactJournal, seconds })}\n`);
  else
    process.stdout.write(
      `${died} bots killed, ${compared} recoveries compared with the venue, ${compactJournal} journals archived in ${seconds} s: ${lost.length} orders lost, ${doubled.length} doubled, ${divergent.length} differences\n`,
    );
  for (const [what, list] of Object.entries({ lost, doubled, divergent }))
    for (const each of list.slice(0, 20)) process.stderr.write(`${what}: ${each}\n`);
  const missed = [
    ...Map.groupBy(
      all((r) => r.missed),
      (point) => point,
    ),
  ];
  if (died >= wanted) missed.length = 0;
  for (const [point, times] of missed)
    process.stderr.write(`never came to ${point}, ${times.length} times\n`);
  if (died < wanted || lost.length + doubled.length + divergent.length > 0) process.exitCode = 1;
}
