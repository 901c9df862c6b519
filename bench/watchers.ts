import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { PACKAGE } from '../.ci/build-package.ts';
import { knownBots } from '../src/app/control/running-bots.ts';
import { openDashboard } from '../src/app/dashboard/open-dashboard.ts';
import { atMost, type Benchmark, type Row, type Scale } from './benchmark.ts';
import { median } from './compare.ts';
import { signedIn } from './dashboard.ts';
import { type LiveBot, startBot, TRADED, WATCHED } from './live/bot.ts';
import { onProcessorMs } from './live/on-processor.ts';
import { percentile } from './live.ts';

/** On the project's own disk, like a bot's journal. */
const DISK = join(import.meta.dirname, '../.sluice/bench');
const MAIN = join(PACKAGE, 'src/cli/main.js');
const CHROMIUM = '/usr/bin/chromium';
const WATCHERS = 10;
const SHARE_MAX = 3;
/** Time of one sample, and the number of samples with and without watchers. */
const SAMPLE_MS: Readonly<Record<Scale, number>> = { full: 5_000, smoke: 1_500 };
const ROUNDS: Readonly<Record<Scale, number>> = { full: 5, smoke: 1 };
const QUOTES_A_SECOND = 1_000;
/** One in this many packets has a quote of the traded symbol, which causes an order: ten a second. */
const PACKETS_AN_ORDER = 5;
const SUBMIT_MS: Readonly<Record<Scale, number>> = { full: 6_000, smoke: 1_000 };
const SUBMIT_ROUNDS: Readonly<Record<Scale, number>> = { full: 7, smoke: 1 };
const SUBMIT_RATIO_MAX = 1.02;
/** Interval between packets. Like a broker's, a packet has quotes of several symbols. */
const PACKET_MS = 20;
const SETTLING_MS: Readonly<Record<Scale, number>> = { full: 4_000, smoke: 1_500 };
const POLL_MS = 1_000;
const PAINTS: Readonly<Record<Scale, number>> = { full: 5, smoke: 1 };
const PAINT_MS = 1_500;

/** Ten browsers that watch a running bot, and the time from the command to the first page in Chromium. */
export const watchers: Benchmark = {
  name: 'dashboard-live',
  usesPackage: true,
  async run(scale) {
    return [await watchedRow(scale), await submitRow(scale), await paintRow(scale)];
  },
};

async function watchedRow(scale: Scale): Promise<Row> {
  const bot = await startBot({ strategy: 'watcher', isolation: 'process', under: DISK });
  const dashboard = await openDashboard(bot.project, { port: 0, commands: false });
  try {
    await wait(SETTLING_MS[scale]);
    const [name = ''] = knownBots(bot.project).map((each) => each.name);
    const alone: number[] = [];
    const watched: number[] = [];
    let answers = 0;
    await busyMs(bot, SAMPLE_MS[scale]);
    for (let round = 0; round < ROUNDS[scale]; round += 1) {
      alone.push(await busyMs(bot, SAMPLE_MS[scale]));
      const pages = await Promise.all(
        Array.from({ length: WATCHERS }, () => openPage(dashboard.port, dashboard.link('read'), name)),
      );
      watched.push(await busyMs(bot, SAMPLE_MS[scale]));
      for (const page of pages) answers += page.close();
    }
    const [without, beside] = [median(alone), median(watched)];
    const share = (100 * (beside - without)) / SAMPLE_MS[scale];
    const wanted = Math.floor((WATCHERS * ROUNDS[scale] * SAMPLE_MS[scale]) / POLL_MS);
    const ms = (value: number): string => `${((value / SAMPLE_MS[scale]) * 1_000).toFixed(1)} ms a second`;
    return {
      id: 'dashboard-watchers',
      work: `What ${WATCHERS} pages that look at a bot cost its process, in percent of one core, at ${QUOTES_A_SECOND} quotes a second`,
      ours: share,
      yardstick: SHARE_MAX,
      unit: '% of a core',
      ratio: share / SHARE_MAX,
      goal: atMost(1),
      gates: [
        {
          what: 'the pages had their answers',
          holds: answers >= wanted,
          saw: `${answers} of ${wanted} or more`,
        },
      ],
      notes: [
        `The bot's process: ${ms(without)} without pages, ${ms(beside)} with them; medians of ${ROUNDS[scale]} by turns`,
        'A page has the stream of the bot and asks once a second for prices and pipeline, as in a browser; the dashboard is another process',
      ],
      figures: { aloneMs: alone, watchedMs: watched, sampleMs: SAMPLE_MS[scale] },
    };
  } finally {
    await dashboard.close();
    await bot.close();
  }
}

/** Processor time in milliseconds of the bot's process while quotes arrive at a steady rate. */
async function busyMs(bot: LiveBot, spanMs: number): Promise<number> {
  const before = onProcessorMs(bot.pid);
  const took = await quotesAtPace(bot, spanMs);
  return ((onProcessorMs(bot.pid) - before) / took) * spanMs;
}

/** Sends quotes at a steady rate and returns the time that it took; `orders` adds quotes that cause an order. */
async function quotesAtPace(bot: LiveBot, spanMs: number, orders = false): Promise<number> {
  const count = (QUOTES_A_SECOND * PACKET_MS) / 1_000;
  const began = performance.now();
  for (let packet = 0; performance.now() - began < spanMs; packet += 1) {
    const traded = orders && packet % PACKETS_AN_ORDER === 0 ? 1 : 0;
    const frames = [...bot.line.frames(WATCHED, count - traded, 0.2), ...bot.line.frames(TRADED, traded)];
    await bot.line.send(Buffer.concat(frames));
    await wait(Math.max(0, began + (packet + 1) * PACKET_MS - performance.now()));
  }
  return performance.now() - began;
}

/** Time from the bytes of a quote to those of its order, alternating with and without pages that watch the bot. */
async function submitRow(scale: Scale): Promise<Row> {
  const bot = await startBot({ strategy: 'at-each-tick', isolation: 'process', under: DISK });
  const dashboard = await openDashboard(bot.project, { port: 0, commands: false });
  try {
    await wait(SETTLING_MS[scale]);
    const [name = ''] = knownBots(bot.project).map((each) => each.name);
    const alone: (readonly number[])[] = [];
    const watched: (readonly number[])[] = [];
    let answers = 0;
    const sample = async (): Promise<readonly number[]> => {
      const before = bot.measured().length;
      await quotesAtPace(bot, SUBMIT_MS[scale], true);
      await wait(POLL_MS);
      return bot
        .measured()
        .slice(before)
        .map(({ all }) => all);
    };
    const sampleWatched = async (): Promise<readonly number[]> => {
      const pages = await Promise.all(
        Array.from({ length: WATCHERS }, () => openPage(dashboard.port, dashboard.link('read'), name)),
      );
      const measured = await sample();
      for (const page of pages) answers += page.close();
      return measured;
    };
    await sample();
    // The one that starts changes every round, as the number of working orders grows.
    for (let round = 0; round < SUBMIT_ROUNDS[scale]; round += 1) {
      if (round % 2 === 0) alone.push(await sample());
      watched.push(await sampleWatched());
      if (round % 2 === 1) alone.push(await sample());
    }
    const p99 = (samples: readonly (readonly number[])[]): number => percentile(samples.flat(), 0.99);
    const rounds = (samples: readonly (readonly number[])[]): readonly number[] =>
      samples.map((each) => percentile(each, 0.99));
    const [without, beside] = [p99(alone), p99(watched)];
    const spread = (samples: readonly (readonly number[])[]): string => {
      const each = rounds(samples);
      return `${Math.min(...each).toFixed(0)} to ${Math.max(...each).toFixed(0)} us`;
    };
    const fewest = Math.min(...[...alone, ...watched].map(({ length }) => length));
    const wanted = (SUBMIT_MS[scale] / (PACKET_MS * PACKETS_AN_ORDER)) * 0.5;
    return {
      id: 'dashboard-submit',
      work: `From the bytes of a quote to those of its order, p99, with ${WATCHERS} pages that look at the bot, compared with none, at ${QUOTES_A_SECOND} quotes a second`,
      ours: beside,
      yardstick: without,
      unit: 'us p99',
      ratio: beside / without,
      goal: atMost(SUBMIT_RATIO_MAX),
      gates: [
        {
          what: 'at least half of the ticks of each sample brought an order about',
          holds: fewest >= wanted,
          saw: `${fewest}`,
        },
        { what: 'the pages had answers', holds: answers > 0, saw: `${answers}` },
      ],
      notes: [
        `p50 ${percentile(watched.flat(), 0.5).toFixed(0)} us with pages, ${percentile(alone.flat(), 0.5).toFixed(0)} us without; ${watched.flat().length} and ${alone.flat().length} orders in ${SUBMIT_ROUNDS[scale]} rounds by turns`,
        `p99 of single rounds: ${spread(watched)} with pages, ${spread(alone)} without; a ratio within these spreads is no difference`,
      ],
      figures: { aloneP99Us: rounds(alone), watchedP99Us: rounds(watched), sampleMs: SUBMIT_MS[scale] },
    };
  } finally {
    await dashboard.close();
    await bot.close();
  }
}

/** A page that watches a bot; closing it returns the number of its answers. */
interface OpenPage {
  close(): number;
}

/** Sends the requests of a bot's page and of its pipeline's page. */
async function openPage(port: number, login: string, bot: string): Promise<OpenPage> {
  const headers = await signedIn(port, login);
  const path = `/api/bots/${encodeURIComponent(bot)}`;
  let answers = 0;
  const ask = (tail: string, isStream = false): ClientRequest => {
    const sent = request({ host: '127.0.0.1', port, path: `${path}${tail}`, headers, agent: false });
    sent.on('error', () => undefined);
    sent.on('response', (response) => {
      response.on('error', () => undefined).resume();
      if (!isStream && response.statusCode === 200) answers += 1;
    });
    sent.end();
    return sent;
  };
  const stream = ask('/stream', true);
  const poll = (): void => {
    ask('/prices/-');
    ask('/pipeline');
  };
  poll();
  const timer = setInterval(poll, POLL_MS);
  return {
    close() {
      clearInterval(timer);
      stream.destroy();
      return answers;
    },
  };
}

/** Time from the start of the command to the list of bots in an already running Chromium. */
async function paintRow(scale: Scale): Promise<Row> {
  const row = {
    id: 'dashboard-paint',
    work: 'From the start of `sluice ui` to the first list of bots in Chromium, which runs already',
    yardstick: PAINT_MS,
    unit: 'ms',
    goal: atMost(1),
  } as const;
  if (!existsSync(CHROMIUM))
    return { ...row, ours: undefined, ratio: undefined, gates: [], notes: [`There is no ${CHROMIUM}`] };
  mkdirSync(DISK, { recursive: true });
  const project = mkdtempSync(join(DISK, 'sluice-ui-'));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    keepBot(project);
    const times: number[] = [];
    for (let round = 0; round < PAINTS[scale]; round += 1) {
      const page = await browser.newPage();
      const began = performance.now();
      const ui = spawn(process.execPath, [MAIN, 'ui', '--port', '0', '--json', '--until-stdin-ends'], {
        cwd: project,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const gone = new Promise((resolve) => ui.once('close', resolve));
      const line = await new Promise<string>((resolve, reject) => {
        createInterface({ input: ui.stdout }).once('line', resolve);
        ui.once('close', () => reject(new Error('"sluice ui" ended before it printed its link')));
      });
      const { login }: { login: string } = JSON.parse(line);
      await page.goto(login);
      await page.locator('table a').first().waitFor();
      times.push(performance.now() - began);
      await page.close();
      ui.stdin.end();
      await gone;
    }
    const ours = median(times);
    return {
      ...row,
      ours,
      ratio: ours / PAINT_MS,
      gates: [
        { what: 'the list has its bot', holds: times.length === PAINTS[scale], saw: `${times.length} pages` },
      ],
      notes: [`Median of ${PAINTS[scale]}; a folder with one bot that ended`],
      figures: { times },
    };
  } finally {
    await browser.close();
    rmSync(project, { recursive: true, force: true });
  }
}

function keepBot(project: string): void {
  const folder = join(project, '.sluice/accounts/ended');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'bot.json'),
    JSON.stringify({
      ...{ pid: 1, config: 'bot.yaml', strategy: 'cross', http: 'http://127.0.0.1:1', mode: 'paper' },
      ...{ profile: 'documented', deployment: 'AAAA', ownVenue: true },
      ...{ since: '2026-01-01T00:00:00Z', ended: '2026-01-01T00:00:00Z' },
    }),
  );
}
