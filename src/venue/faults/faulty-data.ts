import { Decimal } from '../../model/decimal.ts';
import { type Millis, SECOND_MS } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import { success } from '../../wire/envelope.ts';
import type { DataFault } from './fault-specs.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the text of a successful answer with corrupted data; `now` is market time. */
export function corruptedText(fault: DataFault, data: object, now: Millis): string {
  switch (fault.knob) {
    case 'venue.numericId':
      return numericId(data);
    case 'venue.shape':
      return JSON.stringify(malformed(fault.form, data));
    case 'venue.listLag':
      return written(withoutNewest(data, now - fault.ms));
    case 'venue.emptyList':
      return written(withoutNewest(data, Number.NEGATIVE_INFINITY));
    case 'venue.pages':
      return written(paged(data, fault));
    case 'venue.garbage':
    case 'venue.enum':
      return written(replaced(data, (name, value) => (name === fault.field ? fault.value : value)));
    case 'venue.estimate':
      return written(replaced(data, (name, value) => (name.endsWith('_max_qty') ? fault.value : value)));
    case 'venue.marginStep': {
      const step = (value: unknown): string => new Decimal(String(value)).times(fault.factor).toFixed();
      return written(replaced(data, (name, value) => (name.endsWith('m_factor') ? step(value) : value)));
    }
    case 'venue.date':
      return written(data);
    default:
      return unreachable(fault);
  }
}

/** Returns a copy with fields changed by name, at any depth. */
export function replaced(value: unknown, change: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => replaced(each, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const changed = change(name, inner);
      return [name, changed === inner ? replaced(inner, change) : changed];
    }),
  );
}

function written(data: unknown): string {
  return JSON.stringify(success(data));
}

/** Writes the order id as a JSON number, digit for digit. */
function numericId(data: object): string {
  return written(data).replace(/"order_id":"(\d+)"/g, '"order_id":$1');
}

function malformed(form: Extract<DataFault, { knob: 'venue.shape' }>['form'], data: object): object {
  const { msg, message, code } = success(data);
  switch (form) {
    case 'no-data':
      return { code, msg, message };
    case 'null-data':
      return { code, msg, message, data: null };
    case 'list-data':
      return { code, msg, message, data: [] };
    case 'no-id':
      return { code, msg, message, data: {} };
    case 'message-only':
      return { code, message, data };
    case 'msg-only':
      return { code, msg, data };
    case 'more-fields':
      return {
        trace: { hops: [1, 2] },
        code,
        msg,
        message,
        data: { ...data, brand_new: { nested: [null, '1'] }, flag: true },
      };
  }
}

/** Removes orders submitted after an instant from a listing. */
function withoutNewest(data: object, until: number): object {
  const rows = rowsOf(data, 'orders');
  if (rows === undefined) return data;
  return { ...data, orders: rows.filter((row) => Number(row['submitted_at']) * SECOND_MS <= until) };
}

/** Truncates a listing to `rows` rows, with `has_more`, and repeats each row if `repeat`. */
function paged(data: object, { rows, repeat }: { rows?: number | undefined; repeat: boolean }): object {
  const list = (['orders', 'trades'] as const).find((name) => rowsOf(data, name) !== undefined);
  if (list === undefined) return data;
  const all = rowsOf(data, list) ?? [];
  const visibleRows = all.slice(0, rows ?? all.length);
  const more = visibleRows.length < all.length ? { has_more: true } : {};
  return { ...data, [list]: repeat ? visibleRows.flatMap((row) => [row, row]) : visibleRows, ...more };
}

function rowsOf(data: object, name: string): readonly Fields[] | undefined {
  const rows: unknown = Object.entries(data).find(([field]) => field === name)?.[1];
  return Array.isArray(rows) ? rows : undefined;
}
