import Table from 'cli-table3';
import { printable } from '../model/printable.ts';
import { countText, percentText, ratioText } from '../reports/format.ts';
import { inkFor } from '../reports/ink.ts';
import { html, type Markup } from '../reports/page/markup.ts';
import { pairsTable } from '../reports/page/static-page.ts';
import type { Overfitting } from './overfitting.ts';
import type { PredictiveAbility } from './reality-check.ts';
import {
  deflatedSharpe,
  expectedBestSharpe,
  minimumTrackRecord,
  probabilisticSharpe,
  type SharpeSample,
} from './sharpe-statistics.ts';

/** All trials of one strategy's code on one data set, from the ledger. */
export interface TrialCount {
  readonly strategy: string;
  /** SHA-256 of the strategy's code, and of the data. */
  readonly code: string;
  readonly data: string;
  /** Trials of exactly this code on this data. */
  readonly trials: number;
  /** Trials of all versions of strategies with this name on this data. */
  readonly allVersions: number;
  /** Variance (n - 1) of their Sharpe ratios per day; 0 of fewer than two. */
  readonly variance: number;
  /** The trial with the highest Sharpe ratio, and its parameters; absent if none has one. */
  readonly best?: { readonly sample: SharpeSample; readonly params: string };
}

/** Whether the best of many trials is more than luck. Sharpe ratios are annualised. */
export interface Luck {
  readonly strategy: string;
  readonly code: string;
  readonly data: string;
  readonly trials: number;
  readonly allVersions: number;
  readonly sharpe: number;
  /** Expected Sharpe ratio of the best of that number of trials without skill. */
  readonly expectedBest: number;
  /** Probability that the true Sharpe ratio is above 0, if this were the only trial. */
  readonly probabilistic: number | null;
  /** The same, given the number of trials. */
  readonly deflated: number | null;
  /**
   * Years of daily returns, and the number required for a Sharpe ratio above 0 with 95 % confidence; null if it is
   * not above 0.
   */
  readonly years: number;
  readonly minimumYears: number | null;
  /**
   * Tests of all those trials together; null if daily returns are not kept for each, or there are more than 1,000.
   */
  readonly ability: PredictiveAbility | null;
}

const DAYS_PER_YEAR = 252;
export const CONFIDENCE = 0.95;

/**
 * Computes the luck of a sample of the ledger, by default of its best trial; undefined if no trial has a Sharpe
 * ratio.
 */
export function luckOf(
  count: TrialCount,
  sample = count.best?.sample,
  ability?: PredictiveAbility,
): Luck | undefined {
  if (sample === undefined) return undefined;
  const year = Math.sqrt(DAYS_PER_YEAR);
  const known = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const { strategy, code, data, trials, allVersions, variance } = count;
  const least = known(minimumTrackRecord(sample, 0, CONFIDENCE));
  return {
    strategy,
    code,
    data,
    trials,
    allVersions,
    sharpe: sample.sharpe * year,
    expectedBest: expectedBestSharpe(trials, variance) * year,
    probabilistic: known(probabilisticSharpe(sample, 0)),
    deflated: known(deflatedSharpe(sample, trials, variance)),
    years: sample.count / DAYS_PER_YEAR,
    minimumYears: least === null ? null : least / DAYS_PER_YEAR,
    ability: ability ?? null,
  };
}

/** Conclusion in one sentence. */
export function verdictOf({ deflated, sharpe, expectedBest, trials }: Luck): string {
  if (deflated !== null && deflated >= CONFIDENCE)
    return 'More than luck, if trials and data are all there is';
  const tried = trials === 1 ? '1 trial' : `${countText(trials)} trials`;
  if (sharpe <= expectedBest) return `Luck explains it: ${tried} without skill show as much`;
  return `May be luck: not above what ${tried} without skill show with ${percentText(CONFIDENCE)}`;
}

/** The lines under a sweep, ending in a newline. */
export function luckText(
  luck: Luck,
  overfitting: Overfitting | undefined,
  options: { readonly colour: boolean },
): string {
  const ink = inkFor(options.colour);
  const isGood = luck.deflated !== null && luck.deflated >= CONFIDENCE;
  const lines = linesOf(luck, overfitting).map(([name, value]) => `  ${name}: ${value}`);
  const verdict = verdictOf(luck);
  return `${[ink.bold('Is the best trial luck?'), ...lines, isGood ? ink.good(verdict) : ink.bad(verdict)].join('\n')}\n`;
}

/** The same as a section of a page. */
export function luckSection(luck: Luck, overfitting: Overfitting | undefined): Markup {
  return html`<section><h2>Is the best trial luck?</h2><p class="banner">${verdictOf(luck)}</p>${pairsTable(linesOf(luck, overfitting))}</section>`;
}

function linesOf(luck: Luck, overfitting: Overfitting | undefined): readonly (readonly [string, string])[] {
  const share = (value: number | null): string => (value === null ? '-' : percentText(value));
  const versions =
    luck.allVersions > luck.trials ? ` (${countText(luck.allVersions)} of all versions of the code)` : '';
  const years = (value: number | null): string => (value === null ? 'never' : `${value.toFixed(1)} years`);
  return [
    ['Trials of this code on this data, ever', `${countText(luck.trials)}${versions}`],
    [
      'Sharpe ratio of the best trial',
      `${ratioText(luck.sharpe)}; without skill so many show ${ratioText(luck.expectedBest)}`,
    ],
    ['Probabilistic Sharpe (above 0, one trial)', share(luck.probabilistic)],
    ['Deflated Sharpe (above 0, all trials)', share(luck.deflated)],
    [`Track record for ${percentText(CONFIDENCE)}`, `${years(luck.minimumYears)}, has ${years(luck.years)}`],
    ...(luck.ability === null
      ? []
      : [
          ['Superior predictive ability (Hansen), p', luck.ability.spa.toFixed(3)] as const,
          ['Reality check (White), p', luck.ability.realityCheck.toFixed(3)] as const,
        ]),
    ...(overfitting === undefined
      ? []
      : [
          [
            'Probability of backtest overfitting',
            `${percentText(overfitting.probability)} of ${countText(overfitting.splits)} splits`,
          ] as const,
        ]),
  ];
}

/** A table of the whole ledger, a row per code and data; ends in a newline. */
export function luckTable(all: readonly Luck[]): string {
  if (all.length === 0) return 'No trial with a Sharpe ratio is in the ledger\n';
  const table = new Table({
    head: [
      'Strategy',
      'Code',
      'Data',
      'Trials',
      'Sharpe',
      'By luck',
      'PSR',
      'DSR',
      'Years',
      'Needs',
      'SPA',
      'RC',
    ],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'left', 'left', ...Array.from({ length: 9 }, () => 'right' as const)],
  });
  const share = (value: number | null): string => (value === null ? '-' : percentText(value));
  for (const each of all)
    table.push([
      printable(each.strategy, 30),
      each.code.slice(0, 8),
      each.data.slice(0, 8),
      countText(each.trials),
      ratioText(each.sharpe),
      ratioText(each.expectedBest),
      share(each.probabilistic),
      share(each.deflated),
      each.years.toFixed(1),
      each.minimumYears === null ? 'never' : each.minimumYears.toFixed(1),
      each.ability === null ? '-' : each.ability.spa.toFixed(3),
      each.ability === null ? '-' : each.ability.realityCheck.toFixed(3),
    ]);
  return `${table.toString()}\n`;
}
