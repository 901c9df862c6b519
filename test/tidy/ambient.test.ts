import { describe, expect, it } from 'vitest';
import { ambientUses } from './ambient.ts';
import { importsOf } from './imports.ts';
import { AMBIENT_MODULES, BROWSER_FOLDERS } from './layers.ts';
import { mask } from './masks.ts';
import { moduleOf, PRODUCT } from './tree.ts';

function usesIn(text: string): readonly string[] {
  const masks = mask(text);
  return ambientUses({ path: 'x.ts', text, ...masks, imports: importsOf(masks) });
}

describe('time and random numbers', () => {
  it('are read from the machine by app only', () => {
    const outside = PRODUCT.filter(
      ({ path }) =>
        !AMBIENT_MODULES.includes(moduleOf(path) ?? '') &&
        !BROWSER_FOLDERS.some((folder) => path.startsWith(folder)),
    );
    expect(outside.flatMap(ambientUses)).toEqual([]);
  });

  it.each([
    'Date.now()',
    'new Date()',
    'const text = Date();',
    'performance.now()',
    'process.hrtime.bigint()',
    'setTimeout(f, 1)',
    'const later = setImmediate;',
    'queueMicrotask(f)',
    "import { setTimeout } from 'node:timers/promises';",
    'Math.random()',
    'randomUUID()',
    'crypto.getRandomValues(bytes)',
    "await fetch('x')",
    'observeOn(asapScheduler)',
    "import { timer } from 'rxjs'; timer(0, 500)",
  ])('are detected in: %s', (text) => {
    expect(usesIn(text).length).toBeGreaterThan(0);
  });

  it.each([
    'new Date(at)',
    'Date.UTC(2024, 1, 1)',
    'store.fetch(id)',
    'clock.performance.now',
    "// Date.now()\nconst name = 'Math.random';",
    "import { timer } from 'rxjs'; timer(0, everyMs, clock.scheduler)",
    'const formatDate = (day: Date) => day.toISOString();',
  ])('are not detected in: %s', (text) => {
    expect(usesIn(text)).toEqual([]);
  });
});
