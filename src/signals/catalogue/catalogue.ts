import { bars } from '../bars.ts';
import { compileSignals } from '../program.ts';
import { AVERAGES_CATALOGUE } from './averages.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';
import { DEVIATION_CATALOGUE } from './deviation.ts';
import { DIRECTIONAL_CATALOGUE } from './directional.ts';
import { MOMENTUM_CATALOGUE } from './momentum.ts';
import { OSCILLATORS_CATALOGUE } from './oscillators.ts';
import { RANGE_CATALOGUE } from './range.ts';
import { REGRESSION_CATALOGUE } from './regression.ts';
import { VOLUME_CATALOGUE } from './volume.ts';
import { WINDOWS_CATALOGUE } from './windows.ts';

/** Indicators of one kind under one heading. */
export interface CatalogueFamily {
  readonly title: string;
  readonly entries: readonly CatalogueEntry[];
}

/** All indicators, by family. */
export const CATALOGUE: readonly CatalogueFamily[] = [
  { title: 'Averages', entries: AVERAGES_CATALOGUE },
  { title: 'Windows', entries: WINDOWS_CATALOGUE },
  { title: 'Spread of values', entries: DEVIATION_CATALOGUE },
  { title: 'Lines and pairs', entries: REGRESSION_CATALOGUE },
  { title: 'Momentum of one series', entries: MOMENTUM_CATALOGUE },
  { title: 'Ranges, channels and stops', entries: RANGE_CATALOGUE },
  { title: 'Direction and trend', entries: DIRECTIONAL_CATALOGUE },
  { title: 'Oscillators of bars', entries: OSCILLATORS_CATALOGUE },
  { title: 'Volume', entries: VOLUME_CATALOGUE },
];

/** Generates the tables of `docs/indicators.md`, between its markers. */
export function catalogueMarkdown(): string {
  return CATALOGUE.map(({ title, entries }) => `## ${title}\n\n${tableOf(entries)}\n`).join('\n');
}

function tableOf(entries: readonly CatalogueEntry[]): string {
  const head = ['Indicator', 'Gives', 'What it is', 'After', 'First', 'Settled'];
  const rows = entries.map((entry) => {
    const { defined, settled } = compileSignals({ it: entry.example(bars) });
    const call = `\`${entry.name}(${entry.parameters.join(', ')})\``;
    return [call, entry.outputs.join(', '), entry.formula, entry.source, String(defined), String(settled)];
  });
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
