import { createHash } from 'node:crypto';
import type { BotConfig } from '../../config/bot-config.ts';
import { durationText } from '../../config/schema/units.ts';
import { Decimal } from '../../model/decimal.ts';
import { LIMITS, type LimitName } from '../../risk/limits.ts';

/** Differences between the running config of a bot and a saved one. */
export type RunChanges =
  | { readonly kind: 'none' }
  /** Some changes require a restart, so none is applied. */
  | { readonly kind: 'refused'; readonly message: string }
  /** One line for each change: `params.fast 10 -> 12`. */
  | { readonly kind: 'changes'; readonly lines: readonly string[] };

/** Sections that may change while a bot runs; the others require a restart. */
const HOT: ReadonlySet<string> = new Set(['path', 'params', 'risk', 'execution']);

/** Limits that were passed to the venue's account or the quote reader at the start. */
const COLD_LIMITS: readonly LimitName[] = ['useMargin', 'allowShort', 'maxQuoteJump'];

/** Compares the running config of a bot with a saved one, and both versions of its strategy's code. */
export function changesBetween(
  before: BotConfig,
  after: BotConfig,
  code: { readonly before: string; readonly after: string },
): RunChanges {
  const cold = [
    ...Object.keys(after).filter(
      (key) => !HOT.has(key) && !isSame(fieldOf(before, key), fieldOf(after, key)),
    ),
    ...COLD_LIMITS.filter((name) => !isSame(before.risk[name], after.risk[name])).map(
      (name) => `risk.${name}`,
    ),
  ];
  if (cold.length > 0) {
    const keys = cold.map((key) => `"${key}"`).join(', ');
    const message = `${keys} cannot change while the bot runs: parameters, limits, execution and the strategy's code can; stop the bot and start it again`;
    return { kind: 'refused', message };
  }
  const lines = [
    ...changed('params', before.params, after.params, (_name, value) => textOf(value)),
    ...changed('risk', before.risk, after.risk, (name, value) => limitText(name, value)),
    ...changed('execution', before.execution, after.execution, (_name, value) => textOf(value)),
    ...(code.before === code.after ? [] : [`code ${code.before} -> ${code.after}`]),
  ];
  return lines.length === 0 ? { kind: 'none' } : { kind: 'changes', lines };
}

/** Returns twelve hexadecimal digits that identify a version of files. */
export function codeHash(texts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return hash.digest('hex').slice(0, 12);
}

function changed(
  section: string,
  before: object,
  after: object,
  text: (name: string, value: unknown) => string,
): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [was, is] = [fieldOf(before, name), fieldOf(after, name)];
    if (isSame(was, is)) return [];
    return [`${section}.${name} ${text(name, was)} -> ${text(name, is)}`];
  });
}

function fieldOf(owner: object, name: string): unknown {
  return Object.entries(owner).find(([key]) => key === name)?.[1];
}

/** Compares by value; functions (of a fill model) are omitted, as their settings are in the config. */
function isSame(one: unknown, other: unknown): boolean {
  return plain(one) === plain(other);
}

function plain(value: unknown): string {
  return JSON.stringify(value, (_key, field) => (field instanceof Map ? [...field] : field)) ?? '';
}

function limitText(name: string, value: unknown): string {
  const { unit } = LIMITS[name as LimitName];
  if (unit === 'duration' && typeof value === 'number') return durationText(value);
  if (unit === 'share' && Decimal.isDecimal(value)) return `${value.times(100)}%`;
  return textOf(value);
}

function textOf(value: unknown): string {
  if (value === undefined) return 'none';
  if (typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value)
    return `${String(value.amount)} ${String(value.currency)}`;
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
}
