import { Decimal } from '../../model/decimal.ts';
import { printable } from '../../model/printable.ts';
import type { OrderDraft } from '../../strategy/order-draft.ts';
import { DraftProblem, FIELD_CHARS_MAX, type Fields, readDraft } from './read-draft.ts';

/** What a hook returned, as drafts that share nothing with it, or what is odd about it. */
export type ReadDecision =
  | { readonly kind: 'drafts'; readonly drafts: readonly OrderDraft[] }
  | { readonly kind: 'odd'; readonly what: string };

/** Most fields of a rubbish answer that an error names. */
const FIELDS_SHOWN = 8;

/**
 * Reads what a hook returned, of any type and shape, into plain copies: each field is read once, so neither getters and proxies nor later changes
 * reach further, and a field that no draft has is an error. Judges types, and figures of exits; other values are for sizing and the gate.
 * Throws what a getter throws.
 */
export function readDecision(decision: unknown, draftsMax: number): ReadDecision {
  if (decision === undefined || decision === null) return { kind: 'drafts', drafts: [] };
  const list: readonly unknown[] = Array.isArray(decision) ? decision : [decision];
  const { length } = list;
  if (length > draftsMax)
    return { kind: 'odd', what: `returned ${length} orders at once, most is ${draftsMax}` };
  const drafts: OrderDraft[] = [];
  for (let index = 0; index < length; index += 1) {
    const value = list[index];
    const draft = readDraft(value);
    if (draft === undefined)
      return { kind: 'odd', what: `returned ${describe(value)}, want what context.orders gives` };
    if (draft instanceof DraftProblem) return { kind: 'odd', what: `returned ${draft.what}` };
    drafts.push(draft);
  }
  return { kind: 'drafts', drafts };
}

function describe(value: unknown): string {
  if (value instanceof Promise) {
    // The promise is never awaited, so its rejection must not end the process.
    value.catch(() => undefined);
    return 'a Promise (hooks are plain functions: remove "async")';
  }
  if (value === undefined || value === null) return `${value} in a list`;
  if (typeof value !== 'object') return `a ${typeof value}`;
  const names = Object.keys(value).slice(0, FIELDS_SHOWN);
  const fields = names.map((name) =>
    printable(`${name.slice(0, 80)}: ${fieldText((value as Fields)[name])}`),
  );
  return fields.length === 0 ? 'an empty object' : `an object with ${fields.join(', ')}`;
}

function fieldText(field: unknown): string {
  if (typeof field === 'string') return field.slice(0, FIELD_CHARS_MAX);
  if (Array.isArray(field)) return `a list of ${field.length}`;
  return typeof field === 'object' && field !== null && !Decimal.isDecimal(field)
    ? 'an object'
    : String(field).slice(0, FIELD_CHARS_MAX);
}
