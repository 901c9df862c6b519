import { countText, percentText } from '../reports/format.ts';
import { html, type Markup } from '../reports/page/markup.ts';
import { staticPage } from '../reports/page/static-page.ts';
import type { Axis, AxisValue } from './axes.ts';
import type { SweepReport } from './sweep-report.ts';
import { groupsOf, placesOn, type ScoredTrial } from './sweep-result.ts';
import { figureText } from './sweep-text.ts';

/**
 * Maximum number of heat maps, for the pairs of the most important axes, and of lines in the parallel coordinates.
 */
const MAPS_MAX = 6;
const LINES_MAX = 400;
const FAILED_MAX = 50;

const SWEEP_STYLE = `
.map { border-collapse: separate; border-spacing: 2px; width: auto; }
.map td { text-align: center; border: 0; border-radius: 3px; padding: 6px 8px; min-width: 48px; }
.map td.empty { color: var(--soft); }
.map caption { text-align: left; color: var(--soft); padding-bottom: 6px; white-space: normal; max-width: calc(100vw - 70px); }
.map th { border: 0; }
.parallel { width: 100%; height: auto; }
.parallel text { fill: var(--soft); font: 12px system-ui, sans-serif; }
.parallel .best { stroke: var(--ink); }
.parallel .axis { stroke: var(--line); stroke-width: 1; }
`;

type Scored = ScoredTrial & { readonly objective: number };

/** The trials that have an objective. */
function* scoredTrials({ findings }: SweepReport): Generator<Scored> {
  for (const each of findings.trials)
    if (each.objective !== null) yield { ...each, objective: each.objective };
}

/** Formats a sweep as one HTML file without network and scripts. */
export function sweepPage(report: SweepReport, more: readonly Markup[] = []): string {
  const { findings } = report;
  const title = `Sweep of ${report.strategy}: ${report.from} to ${report.to}`;
  const count = findings.trials.length + findings.failed.length;
  const body = html`<header><h1>${title}</h1><p class="soft">${report.config}, ${report.symbols.join(', ')}, ${countText(count)} trials by ${report.method}${report.where === undefined ? '' : `, where ${report.where}`}; objective ${report.objective}</p></header>
${more}${bestSection(report)}${importanceSection(report)}${mapSections(report)}${parallelSection(report)}${failedSection(report)}
<footer>Strategy code ${report.code.slice(0, 12)}, data ${report.data.slice(0, 12)}, seed ${report.seed}.</footer>`;
  return staticPage(title, body, SWEEP_STYLE);
}

function bestSection({ findings, axes }: SweepReport): Markup {
  const rows = findings.best.map(({ trial, params, objective, neighbours, figures }) => {
    const sign = neighbours.kind === 'nearest' ? '~' : '';
    const values = axes.map(({ name }) => html`<td>${String(params[name])}</td>`);
    return html`<tr><td>${trial}</td>${values}<td>${figureText(objective)}</td><td>${sign}${figureText(neighbours.median)}</td><td>${sign}${figureText(neighbours.worst)}</td><td>${shareText(figures.totalReturn, true)}</td><td>${shareText(figures.maxDrawdown)}</td><td>${figures.closedTrades ?? '-'}</td></tr>`;
  });
  const names = axes.map(({ name }) => html`<th>${name}</th>`);
  return html`<section><h2>Best trials</h2><div class="scroll"><table><thead><tr><th>Trial</th>${names}<th>Objective</th><th>Near</th><th>Worst near</th><th>Return</th><th>Max drawdown</th><th>Trades</th></tr></thead><tbody>${rows}</tbody></table></div>
<p class="soft">Near: median and worst objective of the trials one step away on one axis (~ of the nearest, where there is none). A best trial far above them is more often chance than an edge.</p></section>`;
}

function shareText(share: number | null, signed = false): string {
  return share === null ? '-' : percentText(share, { signed });
}

function importanceSection({ findings }: SweepReport): Markup {
  const rows = findings.importance.map(({ axis, share, means }) => {
    const groups = means.map(
      ({ value, mean, trials }) =>
        html`<tr><td>${value}</td><td>${figureText(mean)}</td><td>${trials}</td></tr>`,
    );
    return html`<h3>${axis}: ${percentText(share)}</h3><div class="scroll"><table><thead><tr><th>${axis}</th><th>Mean objective</th><th>Trials</th></tr></thead><tbody>${groups}</tbody></table></div>`;
  });
  return html`<section><h2>Importance of each axis</h2><p class="soft">Share of the variance of the objective that the axis explains by itself (epsilon squared); the rest is interaction and noise.</p>${rows}</section>`;
}

function mapSections(report: SweepReport): readonly Markup[] {
  const { axes, findings } = report;
  const ranked = findings.importance
    .toSorted((one, other) => other.share - one.share)
    .flatMap(({ axis }) => axes.filter(({ name }) => name === axis));
  const pairs = ranked.flatMap((one, at) => ranked.slice(at + 1).map((other) => [one, other] as const));
  return pairs.slice(0, MAPS_MAX).map(([one, other]) => heatMap(one, other, scoredTrials(report)));
}

/** Mean objective for each pair of values, over all other axes. */
function heatMap(columns: Axis, rows: Axis, trials: Iterable<Scored>): Markup {
  const [across, down] = [groupsOf(columns), groupsOf(rows)];
  const cells = down.labels.map(() => across.labels.map(() => ({ count: 0, sum: 0, best: -Infinity })));
  for (const { params, objective } of trials) {
    const row = cells[down.groupOf(params[rows.name] as AxisValue)];
    const cell = row?.[across.groupOf(params[columns.name] as AxisValue)];
    if (cell === undefined) continue;
    cell.count += 1;
    cell.sum += objective;
    cell.best = Math.max(cell.best, objective);
  }
  const means = cells.flat().flatMap(({ count, sum }) => (count === 0 ? [] : [sum / count]));
  const [low, high] = [Math.min(...means), Math.max(...means)];
  const body = cells.map((row, at) => {
    const tds = row.map(({ count, sum, best }) => {
      if (count === 0) return html`<td class="empty">-</td>`;
      const mean = sum / count;
      const title = `mean ${figureText(mean)}, best ${figureText(best)}, ${countText(count)} trials`;
      return html`<td style="${colourOf(high > low ? (mean - low) / (high - low) : 0.5)}" title="${title}">${figureText(mean)}</td>`;
    });
    return html`<tr><th scope="row">${down.labels[at] ?? ''}</th>${tds}</tr>`;
  });
  const heads = across.labels.map((label) => html`<th scope="col">${label}</th>`);
  return html`<section><h2>${columns.name} and ${rows.name}</h2><div class="scroll" tabindex="0" role="region" aria-label="Heat map of ${columns.name} and ${rows.name}"><table class="map"><caption>Mean objective, ${columns.name} across, ${rows.name} down; yellow is best</caption><thead><tr><td></td>${heads}</tr></thead><tbody>${body}</tbody></table></div></section>`;
}

/** Colours of viridis, whose lightness also differs, so that they are distinct without colour. */
const COLOURS = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
] as const;
/** Share from which black is more readable on the colour than white. */
const BRIGHT_FROM = 0.45;

function rgbOf(share: number): string {
  const place = Math.min(1, Math.max(0, share)) * (COLOURS.length - 1);
  const at = Math.min(COLOURS.length - 2, Math.floor(place));
  const mixed = [0, 1, 2].map((part) => {
    const [from, to] = [COLOURS[at]?.[part] ?? 0, COLOURS[at + 1]?.[part] ?? 0];
    return Math.round(from + (place - at) * (to - from));
  });
  return `rgb(${mixed.join(',')})`;
}

function colourOf(share: number): string {
  return `background:${rgbOf(share)};color:${share >= BRIGHT_FROM ? '#000' : '#fff'}`;
}

const WIDTH = 1000;
const HEIGHT = 360;
const [TOP, BOTTOM, LEFT, RIGHT] = [40, 40, 70, 70];

/** A line for each trial through its value on every axis and its objective; the best are drawn last, on top. */
function parallelSection(report: SweepReport): Markup | undefined {
  const { axes } = report;
  const visible = visibleTrials(report);
  if (visible.trials.length < 2) return undefined;
  const [low, high] = [visible.trials[0]?.objective ?? 0, visible.trials.at(-1)?.objective ?? 0];
  const x = (at: number): number => LEFT + (at * (WIDTH - LEFT - RIGHT)) / axes.length;
  const y = (share: number): number => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  const placeOf = axes.map(placesOn);
  const lines = visible.trials.map((trial, place) => {
    const isBest = place === visible.trials.length - 1;
    const share = high > low ? (trial.objective - low) / (high - low) : 0.5;
    const places = axes.map(({ name }, at) => placeOf[at]?.(trial.params[name] as AxisValue) ?? 0);
    const points = [...places, share].map((place, at) => `${x(at).toFixed(1)},${y(place).toFixed(1)}`);
    const opacity = (0.15 + 0.85 * share).toFixed(2);
    // Yellow is hard to see on white: a line in the colour of the text is drawn under the best.
    const under = isBest
      ? html`<polyline class="best" points="${points.join(' ')}" fill="none" stroke-width="5"></polyline>`
      : undefined;
    return html`${under}<polyline points="${points.join(' ')}" fill="none" stroke="${rgbOf(share)}" stroke-width="${isBest ? 2 : 1.2}" opacity="${opacity}"><title>trial ${trial.trial}: ${figureText(trial.objective)}</title></polyline>`;
  });
  const ends = (axis: Axis): readonly [string, string] =>
    axis.kind === 'continuous'
      ? [String(axis.from), String(axis.to)]
      : [String(axis.values[0]), String(axis.values.at(-1))];
  const heads = [
    ...axes.map((axis) => ({ name: axis.name, ends: ends(axis) })),
    { name: 'objective', ends: [figureText(low), figureText(high)] as const },
  ].map(
    ({ name, ends: [first, last] }, at) =>
      html`<line class="axis" x1="${x(at)}" x2="${x(at)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"></line><text x="${x(at)}" y="16" text-anchor="middle">${name}</text><text x="${x(at)}" y="32" text-anchor="middle">${last}</text><text x="${x(at)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${first}</text>`,
  );
  const { length } = visible.trials;
  const note = length < visible.of ? ` (${length} of ${countText(visible.of)})` : '';
  return html`<section><h2>Parallel coordinates</h2><p class="soft">One line per trial${note}, yellow is best; the best one has a border.</p><div class="scroll"><svg class="parallel wide" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Parallel coordinates of all trials">${heads}${lines}</svg></div></section>`;
}

/** Trials with an objective, the best last: all if they are few, otherwise every n-th. `of` is their total number. */
function visibleTrials(report: SweepReport): { readonly trials: readonly Scored[]; readonly of: number } {
  const ranked = Array.from(scoredTrials(report), ({ trial, objective }) => ({ trial, objective })).sort(
    (one, other) => one.objective - other.objective || other.trial - one.trial,
  );
  const shown = new Map<number, Scored | undefined>(thinned(ranked).map(({ trial }) => [trial, undefined]));
  for (const each of scoredTrials(report)) if (shown.has(each.trial)) shown.set(each.trial, each);
  return { trials: [...shown.values()].flatMap((each) => each ?? []), of: ranked.length };
}

function thinned<T>(ranked: readonly T[]): readonly T[] {
  if (ranked.length <= LINES_MAX) return ranked;
  return Array.from(
    { length: LINES_MAX },
    (_, at) => ranked[Math.round((at * (ranked.length - 1)) / (LINES_MAX - 1))] as T,
  );
}

function failedSection({ findings }: SweepReport): Markup | undefined {
  const { failed } = findings;
  if (failed.length === 0) return undefined;
  const rows = failed.first(FAILED_MAX).map(({ trial, params, message }) => {
    const values = Object.entries(params).map(([name, value]) => `${name}=${String(value)}`);
    return html`<tr><td>${trial}</td><td class="words">${values.join(' ')}</td><td class="words">${message}</td></tr>`;
  });
  const more = failed.length - rows.length;
  return html`<section><h2>Failed trials</h2><div class="scroll"><table><thead><tr><th>Trial</th><th>Parameters</th><th>Why</th></tr></thead><tbody>${rows}</tbody></table></div>${more > 0 ? html`<p class="soft">and ${more} more in the result file</p>` : undefined}</section>`;
}
