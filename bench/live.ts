import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Benchmark, Row, Scale } from './benchmark.ts';
import { median } from './compare.ts';
import { type LiveBot, type LiveOptions, processorMsOf, startBot, TRADED, WATCHED } from './live/bot.ts';
import { type MinimalClient, startMinimalClient } from './live/start-minimal-client.ts';

/** On the project's own disk, like a bot's journal. */
const DISK = join(import.meta.dirname, '../.sluice/bench');
/** A disk in memory, where a sync costs nothing. */
const MEMORY = '/dev/shm';

const QUOTES: Readonly<Record<Scale, number>> = { full: 200_000, smoke: 5_000 };
const ROUNDS: Readonly<Record<Scale, number>> = { full: 5, smoke: 1 };
/**
 * The minimal client reads the same quotes this many times, because the kernel counts processor time in steps of 10
 * ms.
 */
const MINIMAL_REPEATS = 5;
const TICKS: Readonly<Record<Scale, number>> = { full: 200, smoke: 5 };
const BETWEEN_TICKS_MS = 30;
const SETTLING_MS: Readonly<Record<Scale, number>> = { full: 4_000, smoke: 1_500 };
/** Price difference between consecutive quotes. */
const STEP = 0.2;

const answering = (isolation: LiveOptions['isolation'], under: string): LiveOptions => ({
  ...{ isolation, under, strategy: 'at-each-tick' },
});
const BOTS: Readonly<Record<Scale, readonly LiveOptions[]>> = {
  full: [
    answering('thread', DISK),
    answering('thread', MEMORY),
    answering('process', DISK),
    answering('process', MEMORY),
  ],
  smoke: [answering('process', DISK)],
};

/**
 * A whole bot on the embedded venue over loopback, compared with a client that only reads quotes and signs orders.
 */
export const live: Benchmark = {
  name: 'live',
  usesPackage: true,
  async run(scale) {
    const client = await startMinimalClient();
    try {
      const rows = [await quoteRow(client, scale)];
      for (const options of BOTS[scale])
        if (existsSync(MEMORY) || options.under !== MEMORY) rows.push(await orderRow(client, options, scale));
      return rows;
    } finally {
      client.close();
    }
  },
};

async function quoteRow(client: MinimalClient, scale: Scale): Promise<Row> {
  const count = QUOTES[scale];
  const bot = await startBot({ strategy: 'watcher', isolation: 'process', under: DISK });
  try {
    await wait(SETTLING_MS[scale]);
    const samples: { readonly ours: number; readonly minimal: number }[] = [];
    // The first round is not measured.
    for (let round = 0; round <= ROUNDS[scale]; round += 1) {
      const bytes = Buffer.concat(bot.line.frames(WATCHED, count, STEP));
      const ours = await processorUs(bot.pid, () => bot.line.send(bytes));
      const least = await processorUs(client.pid, async () => {
        for (let time = 0; time < MINIMAL_REPEATS; time += 1) await client.send(bytes);
      });
      if (round > 0) samples.push({ ours: ours / count, minimal: least / count / MINIMAL_REPEATS });
    }
    const [ours, least] = [
      median(samples.map((each) => each.ours)),
      median(samples.map((each) => each.minimal)),
    ];
    const { quotes } = await client.state();
    const wanted = count * MINIMAL_REPEATS * (ROUNDS[scale] + 1);
    return {
      id: 'live-quote',
      work: 'Processor time of a bot for one quote, from its frame to the updated state, compared with a bare reader of frames',
      ours,
      yardstick: least,
      unit: 'us cpu',
      ratio: ours / least,
      goal: undefined,
      gates: [
        {
          what: 'the minimal client has read every quote',
          holds: quotes === wanted,
          saw: `${quotes} of ${wanted}`,
        },
      ],
      notes: [
        `${(ours - least).toFixed(2)} us over the minimal client, goal 1: ${ours - least <= 1 ? 'met' : 'missed'}`,
        `${count} quotes at once of one symbol, in ${ROUNDS[scale]} rounds by turns; by the kernel's steps of 10 ms`,
      ],
      figures: { ours, floor: least, overFloorUs: ours - least, goalUs: 1 },
    };
  } finally {
    await bot.close();
  }
}

/** Processor time in microseconds that a process spends until it is as idle as before. */
async function processorUs(pid: number, work: () => Promise<void>): Promise<number> {
  const before = processorMsOf(pid);
  await work();
  for (let last = Number.NaN, now = processorMsOf(pid); now !== last; now = processorMsOf(pid)) {
    last = now;
    await wait(300);
  }
  return (processorMsOf(pid) - before) * 1e3;
}

/** Maximum microseconds of the median and of the 99th percentile. */
const GOALS = { thread: { p50: 60, p99: 250 }, process: { p50: 200, p99: 600 } } as const;

async function orderRow(client: MinimalClient, options: LiveOptions, scale: Scale): Promise<Row> {
  const { isolation, under } = options;
  const bot = await startBot(options);
  try {
    await wait(SETTLING_MS[scale]);
    await client.state();
    for (let tick = 0; tick < TICKS[scale]; tick += 1) await oneTick(bot, client);
    await wait(1_000);
    const measured = bot.measured();
    const all = measured.map((each) => each.all);
    const own = measured.map((each) => each.own);
    const least = (await client.state()).measured;
    const goals = GOALS[isolation];
    const figures = {
      ...{ isolation, journal: under === DISK ? 'on disk' : 'in memory', orders: measured.length },
      ...{ p50Us: percentile(all, 0.5), p99Us: percentile(all, 0.99) },
      ...{ ownP50Us: percentile(own, 0.5), ownP99Us: percentile(own, 0.99) },
      ...{ floorP50Us: percentile(least, 0.5), floorP99Us: percentile(least, 0.99) },
      ...{ goalP50Us: goals.p50, goalP99Us: goals.p99 },
    };
    const us = (value: number): string => `${value.toFixed(0)} us`;
    return {
      id: `live-order-${isolation}${under === DISK ? '' : '-memory'}`,
      work: `From the bytes of a quote to the bytes of its order, the strategy in a ${isolation}, the journal ${figures.journal}`,
      ours: figures.p50Us,
      yardstick: figures.floorP50Us,
      unit: 'us p50',
      ratio: figures.p50Us / figures.floorP50Us,
      goal: undefined,
      gates: [
        {
          what: 'ticks brought orders about, most of them in a whole run',
          holds: all.length > (scale === 'full' ? TICKS.full / 2 : 0),
          saw: `${all.length} of ${TICKS[scale]}`,
        },
        {
          what: 'the minimal client answered each',
          holds: least.length === TICKS[scale],
          saw: String(least.length),
        },
      ],
      notes: [
        `p50 ${us(figures.p50Us)} (goal ${goals.p50}), p99 ${us(figures.p99Us)} (goal ${goals.p99}); minimal client ${us(figures.floorP50Us)} and ${us(figures.floorP99Us)}`,
        `Without the time in which an answer of the venue is awaited: p50 ${us(figures.ownP50Us)}, p99 ${us(figures.ownP99Us)}`,
        "The bot asks the venue about each order's costs before; its call budget is switched off, as the broker's 25 ms between calls would be all that is measured",
      ],
      figures,
    };
  } finally {
    await bot.close();
  }
}

/** Sends one quote to the bot and one to the minimal client, one after the other. */
async function oneTick(bot: LiveBot, client: MinimalClient): Promise<void> {
  const bytes = Buffer.concat(bot.line.frames(TRADED, 1));
  await bot.line.send(bytes);
  await wait(BETWEEN_TICKS_MS);
  await client.send(bytes);
  await wait(BETWEEN_TICKS_MS);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
