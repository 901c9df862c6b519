import type { PipelineView } from '../pipeline-view.ts';
import { t } from './text.ts';

/** Increase of each count per second. */
export type Rates = Readonly<Record<string, number>>;

/** How long a denial highlights its rule, in milliseconds of market time. */
const LIT_MS = 60_000;

export function rateText(rate: number): string {
  return rate === 0 ? '0' : rate < 10 ? rate.toFixed(1) : rate.toFixed(0);
}

export function directionText(direction: number | null | undefined): string {
  if (direction === null || direction === undefined) return '—';
  return t(direction > 0 ? 'signal-up' : direction < 0 ? 'signal-down' : 'signal-silent');
}

export function valuesText(values: readonly (number | null)[]): string {
  return values.map((value) => (value === null ? '—' : String(Number(value.toPrecision(8))))).join(' · ');
}

/** The rules of the gate in their order, then further ones from the journal. */
export function rulesOf({ rules, flow }: Pick<PipelineView, 'rules' | 'flow'>): readonly string[] {
  return [...rules, ...Object.keys(flow.deniedByRule).filter((rule) => !rules.includes(rule))];
}

export function deniedOf({ flow }: Pick<PipelineView, 'flow'>): number {
  return Object.values(flow.deniedByRule).reduce((sum, count) => sum + count, 0);
}

/** State of one rule. It is highlighted for a minute of market time after a denial. */
export function ruleReading(
  { flow, marketTime }: Pick<PipelineView, 'flow' | 'marketTime'>,
  rule: string,
): {
  readonly count: number;
  readonly at: number | undefined;
  readonly isNewest: boolean;
  readonly isLit: boolean;
} {
  const [count, at] = [own(flow.deniedByRule, rule) ?? 0, own(flow.deniedAt, rule)];
  if (count === 0 || at === undefined) return { count, at, isNewest: false, isLit: false };
  const isNewest = at === Math.max(...Object.values(flow.deniedAt));
  return { count, at, isNewest, isLit: marketTime !== null && Date.parse(marketTime) - at < LIT_MS };
}

/** Classes of a rule: `lit` for a minute, `newest` for the one that denied last. */
export function ruleClass({ count, isLit, isNewest }: ReturnType<typeof ruleReading>): string {
  if (count === 0) return '';
  return `denying${isLit ? ' lit' : ''}${isNewest ? ' newest' : ''}`;
}

/** A rule may be named like a property that every object has. */
function own<T>(counts: Readonly<Record<string, T>>, rule: string): T | undefined {
  return Object.hasOwn(counts, rule) ? counts[rule] : undefined;
}
