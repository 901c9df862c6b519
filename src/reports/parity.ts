import type { Decision, DetailedRecord } from '../events/run-record.ts';
import type { StateNote } from '../model/kept-state.ts';
import type { IntentId } from '../model/order.ts';
import { millis } from '../model/time.ts';
import { unreachable } from '../model/unreachable.ts';

/** Equality with the number of compared items, or the first difference with both sides. */
export type Parity =
  | { readonly kind: 'equal'; readonly counts: Readonly<Record<ParityKind, number>> }
  | { readonly kind: 'different'; readonly difference: ParityDifference };

/**
 * What two runs of one config must share; `postings` are interest and corporate actions. Ages and transport (polls,
 * ids, frames) are not compared.
 */
export const PARITY_KINDS = [
  'signals',
  'intents',
  'verdicts',
  'orders',
  'fills',
  'postings',
  'states',
  'equity',
] as const;
export type ParityKind = (typeof PARITY_KINDS)[number];

/** The first difference of two runs. A side without further items is undefined. */
export interface ParityDifference {
  readonly kind: ParityKind;
  /** Number of the decision, or of the close for equity; from 1. */
  readonly place: number;
  readonly left: ParityRow | undefined;
  readonly right: ParityRow | undefined;
  /** Names of the fields that differ. */
  readonly fields: readonly string[];
}

/** One decision without ids: field by field, decimals and times as text. */
export interface ParityRow {
  readonly kind: ParityKind;
  readonly at: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A run in comparable form: plain data, which may come from another process. */
export interface RunRows {
  readonly decisions: readonly ParityRow[];
  readonly equity: readonly ParityRow[];
}

/** Extracts what is compared from a run. */
export function runRows({ decisions, equity, currency }: DetailedRecord): RunRows {
  return {
    decisions: decisions.map(rowReader()),
    equity: Array.from(equity.time, (time, place): ParityRow => {
      const value = equity.value[place] ?? Number.NaN;
      return { kind: 'equity', at: instant(time), fields: { equity: `${value.toFixed(2)} ${currency}` } };
    }),
  };
}

/** Compares two runs of one config, decision by decision, then equity at each close. */
export function compareRuns(left: DetailedRecord, right: DetailedRecord): Parity {
  return compareRows(runRows(left), runRows(right));
}

/** Compares the extracted data of two runs. */
export function compareRows(left: RunRows, right: RunRows): Parity {
  const difference =
    firstDifference(left.decisions, right.decisions) ?? firstDifference(left.equity, right.equity);
  return difference === undefined
    ? { kind: 'equal', counts: countsOf(left) }
    : { kind: 'different', difference };
}

function firstDifference(
  left: readonly ParityRow[],
  right: readonly ParityRow[],
): ParityDifference | undefined {
  const length = Math.max(left.length, right.length);
  for (let place = 0; place < length; place += 1) {
    const difference = differ(place, left[place], right[place]);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function differ(
  place: number,
  left: ParityRow | undefined,
  right: ParityRow | undefined,
): ParityDifference | undefined {
  const names = new Set([...Object.keys(left?.fields ?? {}), ...Object.keys(right?.fields ?? {})]);
  const fields = [...names].filter((name) => left?.fields[name] !== right?.fields[name]);
  if (left?.at !== right?.at) fields.unshift('time');
  if (left?.kind !== right?.kind) fields.unshift('kind');
  if (fields.length === 0) return undefined;
  return { kind: left?.kind ?? right?.kind ?? 'signals', place: place + 1, left, right, fields };
}

/** Identifies each intent by its position, because its id is random. */
function rowReader(): (decision: Decision) => ParityRow {
  const intents = new Map<IntentId, string>();
  const name = (id: IntentId): string => {
    const known = intents.get(id) ?? `#${intents.size + 1}`;
    intents.set(id, known);
    return known;
  };
  return (decision) => {
    const at = instant(decision.kind === 'signal' ? decision.time : decision.at);
    if (decision.kind === 'signal') return { kind: 'signals', at, fields: signalFields(decision) };
    const intent = 'intentId' in decision ? name(decision.intentId) : 'none of ours';
    switch (decision.kind) {
      case 'intent-drafted': {
        const { terms, reason, cause, note, strategy } = decision;
        return {
          kind: 'intents',
          at,
          fields: {
            intent,
            ...texts({ strategy, ...terms }),
            reason,
            cause: cause.name,
            ...texts(cause.inputs),
            ...stateNoteFields(note),
          },
        };
      }
      case 'intent-denied': {
        const { rule, reason, numbers } = decision;
        return {
          kind: 'verdicts',
          at,
          fields: { intent, verdict: 'denied', rule, reason, numbers: JSON.stringify(numbers) },
        };
      }
      case 'intent-armed':
        return {
          kind: 'verdicts',
          at,
          fields: { intent, verdict: 'approved', numbers: JSON.stringify(decision.numbers) },
        };
      case 'submit-refused':
        return { kind: 'orders', at, fields: { intent, status: 'refused', message: decision.message } };
      case 'order-moved': {
        const { status, executedQuantity, message } = decision;
        return {
          kind: 'orders',
          at,
          fields: { intent, status, executed: executedQuantity.toString(), message },
        };
      }
      case 'order-filled':
      case 'foreign-filled': {
        const { side, symbol, quantity, price, fee, charges, time } = decision.fill;
        const lines = charges
          .map((charge) => `${charge.code} ${charge.amount} ${charge.currency}`)
          .join(', ');
        const fields = {
          intent,
          time: instant(time),
          ...texts({ side, symbol, quantity, price, fee }),
          charges: lines,
        };
        return { kind: 'fills', at, fields };
      }
      case 'state-kept':
        return { kind: 'states', at, fields: stateNoteFields(decision.note) };
      case 'corporate-action': {
        const { action, symbol, quantity, averageCost, amount } = decision;
        return {
          kind: 'postings',
          at,
          fields: { intent, ...texts({ action, symbol, quantity, averageCost, amount }) },
        };
      }
      case 'books-adopted': {
        const positions = decision.positions.map(({ symbol, quantity }) => `${quantity} ${symbol}`).join(' ');
        return { kind: 'postings', at, fields: { intent, positions } };
      }
      case 'interest-booked': {
        const { move, symbol, currency, amount } = decision;
        return { kind: 'postings', at, fields: { intent, ...texts({ move, symbol, currency, amount }) } };
      }
      default:
        return unreachable(decision);
    }
  };
}

/** Execution ids belong to the venue, so only their presence is compared. */
function stateNoteFields(note: StateNote | undefined): Readonly<Record<string, string>> {
  if (note === undefined) return {};
  const { strategy, state, told } = note;
  const answers = told === undefined ? {} : { answers: 'an execution' };
  return {
    strategy,
    ...answers,
    ...(state === undefined ? {} : { state: state.text, version: `${state.version}` }),
  };
}

function signalFields(signal: Extract<Decision, { kind: 'signal' }>): Readonly<Record<string, string>> {
  const { name, symbol, barTime, direction, strength, close, values } = signal;
  return { ...texts({ name, symbol, direction, strength, close, ...values }), bar: instant(barTime) };
}

/** Every present field as text; numbers by their shortest exact text. */
function texts(fields: object): Record<string, string> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, String(value)]));
}

function instant(at: number): string {
  return new Date(millis(at)).toISOString();
}

function countsOf(run: RunRows): Readonly<Record<ParityKind, number>> {
  const counts: Record<ParityKind, number> = {
    signals: 0,
    intents: 0,
    verdicts: 0,
    orders: 0,
    fills: 0,
    postings: 0,
    states: 0,
    equity: 0,
  };
  for (const { kind } of run.decisions) counts[kind] += 1;
  counts.equity = run.equity.length;
  return counts;
}
