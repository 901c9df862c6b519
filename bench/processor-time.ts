import { readdirSync, readFileSync } from 'node:fs';
import type { Scale } from './benchmark.ts';
import { median } from './compare.ts';

const ROUNDS: Readonly<Record<Scale, number>> = { full: 5, smoke: 1 };
/** Every sample repeats its work until it takes about this time. */
const SAMPLE_MS: Readonly<Record<Scale, number>> = { full: 60, smoke: 0 };
/** Maximum warm-up rounds, and their maximum total time. */
const WARM_UPS = 12;
const WARM_UP_MS: Readonly<Record<Scale, number>> = { full: 4_000, smoke: 0 };

/** Median processor time of each work. The one that starts changes every round. */
export function alternate<const W extends readonly (() => unknown)[]>(
  works: W,
  scale: Scale,
): { readonly [K in keyof W]: number } {
  const began = performance.now();
  let once = works.map((work) => processorMs(work, 1));
  for (let more = 1; more < WARM_UPS && performance.now() - began < WARM_UP_MS[scale]; more += 1)
    once = works.map((work) => processorMs(work, 1));
  const repeats = once.map((ms) => Math.max(1, Math.ceil(SAMPLE_MS[scale] / Math.max(ms, 0.05))));
  const samples: number[][] = works.map(() => []);
  for (let round = 0; round < ROUNDS[scale]; round += 1)
    for (let turn = 0; turn < works.length; turn += 1) {
      const at = (round + turn) % works.length;
      samples[at]?.push(processorMs(works[at] as () => unknown, repeats[at] as number));
    }
  return samples.map(median) as unknown as { readonly [K in keyof W]: number };
}

/** Processor time of this process, garbage collector and compiler included, per repetition. */
function processorMs(work: () => unknown, repeats: number): number {
  const before = process.cpuUsage();
  for (let left = repeats; left > 0; left -= 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3 / repeats;
}

/** The same for asynchronous work. */
export async function processorMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

/** Clock ticks per second in `/proc`. */
const TICKS = 100;

/**
 * Processor time so far of this process and of its running children, in milliseconds; undefined on a system without
 * `/proc`.
 */
export function processesMs(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const { user, system } = process.cpuUsage();
  let ms = (user + system) / 1e3;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, parent, ...fields] =
        readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      if (Number(parent) === process.pid) ms += ((Number(fields[9]) + Number(fields[10])) * 1e3) / TICKS;
    } catch {
      // The process ended in the meantime.
    }
  }
  return ms;
}
