import { lineAt } from './masks.ts';
import type { Source } from './tree.ts';

/** Ways to read the machine's clock, to wait on it, or to use its random numbers. */
const AMBIENT: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Date.now', /\bDate\s*\.\s*now\b/g],
  ['new Date()', /\bnew\s+Date\s*(?:\(\s*\)|[;,)])/g],
  ['Date()', /(?<!new\s{0,9})(?<![.\w$])Date\s*\(/g],
  ['Temporal.Now', /\bTemporal\s*\.\s*Now\b/g],
  ['performance', /(?<![.\w$])performance\s*\./g],
  ['process clock', /\bprocess\s*\.\s*(?:hrtime|uptime|nextTick)\b/g],
  ['timer', /(?<![.\w$])(?:setTimeout|setInterval|setImmediate|queueMicrotask|requestAnimationFrame)\b/g],
  ['node:timers', /\bfrom\s*'node:(?:timers|perf_hooks)/g],
  ['AbortSignal.timeout', /\bAbortSignal\s*\.\s*timeout\b/g],
  ['Math.random', /\bMath\s*\.\s*random\b/g],
  ['crypto chance', /\b(?:randomBytes|randomUUID|randomInt|randomFill|randomFillSync|getRandomValues)\b/g],
  ['fetch', /(?<![.\w$])fetch\s*\(/g],
  [
    'ambient scheduler',
    /\b(?:asyncScheduler|asapScheduler|queueScheduler|animationFrameScheduler|animationFrames)\b/g,
  ],
];

/** RxJS operators that wait on the machine's clock unless they get a scheduler. */
const WAITING =
  /(?<![.\w$])(?:timer|interval|delay|debounceTime|throttleTime|auditTime|sampleTime|bufferTime|windowTime|timestamp|timeInterval)\s*\(/g;

/** Every use of the machine's time or random numbers: `file:line: what`. */
export function ambientUses(source: Source): readonly string[] {
  const named = AMBIENT.flatMap(([name, pattern]) => {
    const text = name === 'node:timers' ? source.code : source.bare;
    return [...text.matchAll(pattern)].map(({ index }) => `${source.path}:${lineAt(text, index)}: ${name}`);
  });
  return [...named, ...unscheduled(source)];
}

function unscheduled({ path, bare, imports }: Source): readonly string[] {
  if (!imports.some(({ specifier }) => specifier === 'rxjs' || specifier === 'rxjs/operators')) return [];
  return [...bare.matchAll(WAITING)]
    .filter(({ index, 0: call }) => !/scheduler/i.test(argumentsFrom(bare, index + call.length)))
    .map(({ index, 0: call }) => `${path}:${lineAt(bare, index)}: ${call.trim()} without a scheduler`);
}

/** The text between an opening bracket, already read, and its closing one. */
function argumentsFrom(bare: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; at < bare.length && depth > 0; at += 1) {
    if (bare[at] === '(') depth += 1;
    if (bare[at] === ')') depth -= 1;
  }
  return bare.slice(from, at);
}
