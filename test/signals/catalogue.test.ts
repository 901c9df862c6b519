import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as door from '#src/index.ts';
import { bars } from '#src/signals/bars.ts';
import { CATALOGUE, catalogueMarkdown } from '#src/signals/catalogue/catalogue.ts';
import * as averages from '#src/signals/indicators/averages.ts';
import * as deviation from '#src/signals/indicators/deviation.ts';
import * as directional from '#src/signals/indicators/directional.ts';
import * as momentum from '#src/signals/indicators/momentum.ts';
import * as oscillators from '#src/signals/indicators/oscillators.ts';
import * as priceBars from '#src/signals/indicators/price-bars.ts';
import * as range from '#src/signals/indicators/range.ts';
import * as regression from '#src/signals/indicators/regression.ts';
import * as sar from '#src/signals/indicators/sar.ts';
import * as variance from '#src/signals/indicators/variance.ts';
import * as volume from '#src/signals/indicators/volume.ts';
import * as windows from '#src/signals/indicators/windows.ts';

const ROOMS = [averages, deviation, directional, momentum, oscillators, priceBars, range, regression, sar];
const AUTHORS: Readonly<Record<string, unknown>> = Object.assign(
  { lag: (await import('#src/signals/indicators/arithmetic.ts')).lag },
  { change: (await import('#src/signals/indicators/arithmetic.ts')).change },
  ...[...ROOMS, variance, volume, windows],
);
/** Parts of indicators that authors do not call. */
const PARTS = new Set([
  'slidingSum',
  'smoothed',
  'lineFit',
  'placeInRange',
  'highestWithAge',
  'lowestWithAge',
]);
const ENTRIES = CATALOGUE.flatMap(({ entries }) => entries);

/** Parameters in the function's own source. */
function parametersOf(indicator: unknown): readonly string[] {
  const list = /\(([^)]*)\)/.exec(String(indicator))?.[1] ?? '';
  return list
    .split(',')
    .map((text) => text.replace(/\s+/g, ' ').replace('= .', '= 0.').replaceAll('"', "'").trim());
}

describe('the catalogue', () => {
  it('lists every indicator, once', () => {
    const exported = Object.keys(AUTHORS).filter((name) => !PARTS.has(name));
    expect(ENTRIES.map(({ name }) => name).sort()).toEqual(exported.sort());
  });

  it('lists what authors import from the entry point of the package', () => {
    expect(ENTRIES.map(({ name }) => name).filter((name) => !(name in door))).toEqual([]);
  });

  it('names more than sixty', () => {
    expect(ENTRIES.length).toBeGreaterThan(60);
  });

  it('has the parameters and defaults of the code', () => {
    for (const { name, parameters } of ENTRIES) {
      expect([name, ...parametersOf(AUTHORS[name])]).toEqual([name, ...parameters]);
    }
  });

  it('has the outputs of the code', () => {
    for (const { name, outputs, example } of ENTRIES) {
      const made = example(bars);
      const names = made.kind === 'series' ? ['value'] : Object.keys(made);
      expect([name, ...names]).toEqual([name, ...outputs]);
    }
  });

  it('equals docs/indicators.md', () => {
    const page = readFileSync('docs/indicators.md', 'utf8');
    expect(page).toContain(catalogueMarkdown());
  });
});
