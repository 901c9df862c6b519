import { describe, expect, it } from 'vitest';
import { MARKET_RECORDS } from '#src/markets/market-records.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { readSimulation } from '../../src/config/read-simulation.ts';
import { DEFAULT_RULES, type SimulationRules } from '../../src/simulation/rules.ts';
import { onlyText, readWith } from './reading.ts';

function rulesOf(section: string): SimulationRules {
  const reading = readWith({ simulation: `simulation: ${section}` });
  if (reading.kind !== 'ok') throw new Error(onlyText(reading));
  return reading.config.simulation.rules;
}

describe('the simulation section', () => {
  it('has the default rules when it is empty or missing', () => {
    const reading = readWith({});
    expect(reading.kind === 'ok' && reading.config.simulation).toEqual({
      rules: DEFAULT_RULES,
      written: '{}',
    });
    expect(rulesOf('{}')).toEqual(DEFAULT_RULES);
  });

  it('reads every figure with its unit', () => {
    const rules = rulesOf(
      '{ slippage: { fixed: 2.5 bps }, latency: { from: 20ms, to: 1s }, participation: 10%, commission: { perShare: 0.005, minimum: 1 }, settledCashOnly: true, shorting: true, ticks: false, lots: false }',
    );
    expect(rules.fills).toMatchObject({ participation: 0.1, checkTicks: false, checkLots: false });
    expect(JSON.parse(JSON.stringify(rules))).toMatchObject({
      fills: { slippage: { kind: 'fixed', ratio: '0.00025' } },
      latency: { kind: 'uniform', minMs: 20, maxMs: 1000 },
      commission: { kind: 'per-share', perShare: '0.005', minimum: '1' },
      cover: { cover: 'reserved', settledOnly: true },
      shorting: true,
    });
  });

  it.each([
    ['slippage: { spread: 4 bps }', { kind: 'spread', ratio: '0.0004' }],
    ['slippage: { squareRoot: 0.5 }', { kind: 'square-root', coefficient: '0.5' }],
    ['slippage: none', { kind: 'none' }],
    ['slippage: { ticks: 2 }', { kind: 'ticks', ticks: 2 }],
  ])('reads %s', (line, slippage) => {
    expect(JSON.parse(JSON.stringify(rulesOf(`{ ${line} }`).fills.slippage))).toEqual(slippage);
  });

  it.each([
    ['limitFills: touch', undefined],
    ['limitFills: through', 'through'],
    ['limitFills: { chance: 30% }', { chance: 0.3, seed: 1 }],
    ['limitFills: { chance: 30%, seed: 7 }', { chance: 0.3, seed: 7 }],
  ])('reads %s', (line, limitFills) => {
    expect(rulesOf(`{ ${line} }`).fills.limitFills).toEqual(limitFills);
  });

  it.each([
    ['commission: { percent: 0.1% }', { kind: 'percent', rate: '0.001' }],
    ['commission: { percent: 0.1%, minimum: 3 }', { kind: 'percent', rate: '0.001', minimum: '3' }],
    ['commission: { perOrder: 5 }', { kind: 'per-order', amount: '5' }],
    ['commission: { percent: 0.1%, exact: true }', { kind: 'percent', rate: '0.001', exact: true }],
    [
      'commission: { perShare: 0.005, minimum: 1, maximumShare: 1% }',
      { kind: 'per-share', perShare: '0.005', minimum: '1', maximumRatio: '0.01' },
    ],
    [
      'commission: { US: { perOrder: 5 }, HK: { percent: 0.03%, minimum: 3, maximum: 100 } }',
      [
        { kind: 'per-order', amount: '5', market: 'US' },
        { kind: 'percent', rate: '0.0003', minimum: '3', maximum: '100', market: 'HK' },
      ],
    ],
  ])('reads %s', (line, commission) => {
    expect(JSON.parse(JSON.stringify(rulesOf(`{ ${line} }`).commission))).toEqual(commission);
  });

  it('reads whole bars with their settings', () => {
    const rules = rulesOf(
      '{ matching: whole-bars, positions: tranches, exits: entry-bar, stopLimit: limit-beyond, openingSpread: 20 bps, cover: at-fill, shortfall: cut }',
    );
    expect(JSON.parse(JSON.stringify(rules.fills.matching))).toMatchObject({
      kind: 'whole-bars',
      queue: 'closing-first',
      exits: 'entry-bar',
      openingSpread: '0.002',
    });
    expect(rules.cover).toEqual({ cover: 'at-fill', shortfall: 'cut', settledOnly: false, closeOut: 'none' });
  });

  it.each([
    ['tell', 'none'],
    ['reduce', 'as-needed'],
    ['close-out', 'forced'],
    ['close-out-at-zero', 'equity'],
  ])('reads marginCall: %s', (written, closeOut) => {
    expect(rulesOf(`{ marginCall: ${written} }`).cover).toMatchObject({ closeOut });
  });

  it.each([
    ['slipage: none', /"slipage" is not a known setting, did you mean "slippage"\?/],
    ['slippage: 5', /"slippage" is "5", want none, or one of \{ fixed: 2 bps \}/],
    ['slippage: { fixed: 5 }', /want none, or one of/],
    ['slippage: { fixed: 0 bps }', /want none, or one of/],
    ['slippage: { fixed: 1001 bps }', /want none, or one of/],
    ['slippage: { fixed: 1 bps, spread: 2 bps }', /want none, or one of/],
    ['slippage: { ticks: 0.5 }', /want none, or one of/],
    ['limitFills: { chance: 0% }', /"limitFills.chance" is "0%"/],
    ['limitFills: never', /want touch, through, or \{ chance: 30% \}/],
    ['limitFills: { chance: 30% }, matching: whole-bars', /no "limitFills" unless "matching" is "prints"/],
    ['participation: 0%', /a percentage above 0% and up to 100%/],
    ['participation: 101%', /a percentage above 0% and up to 100%/],
    ['latency: 5', /a length of time such as "50ms"/],
    ['latency: { from: 80ms, to: 20ms }', /a "from" no longer than its "to"/],
    ['matching: whole-bar', /did you mean "whole-bars"\?/],
    ['cover: at-fill', /no "cover" unless "matching" is "whole-bars"/],
    ['positions: tranches', /no "positions" unless "matching" is "whole-bars"/],
    ['openingSpread: 1 bps', /no "openingSpread" unless "matching" is "whole-bars"/],
    ['stopLimit: limit-beyond', /no "stopLimit" unless "matching" is "whole-bars"/],
    ['shortfall: cut', /"reject" unless "cover" is "at-fill"/],
    ['matching: whole-bars, path: low-first', /no "path" unless "matching" is "prints"/],
    ['settledCashOnly: yes', /want true or false/],
    ['commission: { perShare: 0 }', /"commission.perShare" is "0", want a number above 0/],
    ['commission: { percent: 0.1%, minimun: 1 }', /did you mean "minimum"\?/],
    ['commission: { US: { perShare: 0 } }', /"commission.US.perShare" is "0", want a number above 0/],
    ['commission: { perShare: 1, perOrder: 2 }', /want none, or one of/],
    ['commission: { minimum: 1 }', /want none, or one of/],
    ['commission: { US: { minimum: 1 } }', /"commission.US" .* want one of/],
    ['commission: { perShare: 1, HK: { perOrder: 2 } }', /want none, or one of/],
    ['commission: { perShare: 1, maximumShare: 2 }', /"commission.maximumShare" is "2"/],
    [
      'commission: { perShare: 1, minimum: 5, maximum: 2 }',
      /"commission.minimum" is "5", want a "minimum" no more than the "maximum"/,
    ],
    [
      'commission: { US: { perShare: 1, minimum: 5, maximum: 2 } }',
      /"commission.US.minimum" is "5", want a "minimum" no more than the "maximum"/,
    ],
    ['interest: { credit: 2% }', /"interest.credit" is "2%"/],
    ['interest: { borow: 1 }', /did you mean "borrow"\?/],
    ['latency: { from: 20ms }', /"to"/],
  ])('reports what it expects of %s', (line, wanted) => {
    expect(onlyText(readWith({ simulation: `simulation: { ${line} }` }))).toMatch(wanted);
  });

  it('reads its own output for the venue process, and reports what is wrong with anything else', () => {
    const reading = readWith({ simulation: 'simulation: { slippage: { fixed: 2 bps }, ticks: false }' });
    if (reading.kind !== 'ok') throw new Error(onlyText(reading));
    const { rules, written } = reading.config.simulation;
    expect(readSimulation(written)).toEqual({ rules, fills: undefined });
    expect(() => readSimulation('{"slippage":{"fixd":"2 bps"}}')).toThrow(ConfigError);
    expect(() => readSimulation('{')).toThrow(ConfigError);
  });
});

describe('a commission by market', () => {
  it.each(MARKET_RECORDS)('can be set for $name', ({ code }) => {
    const { commission } = rulesOf(`{ commission: { ${code}: { perOrder: 5 } } }`);
    expect(commission).toMatchObject([{ market: code, kind: 'per-order' }]);
  });
});
