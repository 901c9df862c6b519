import { Decimal } from '../model/decimal.ts';
import type { SluiceEvent } from './event.ts';

/** Fields that hold a Decimal wherever they stand; they are text in JSON. */
const DECIMAL_FIELDS: ReadonlySet<string> = new Set([
  'amount',
  'available',
  'averageCost',
  'bound',
  'equity',
  'executedQuantity',
  'fee',
  'initial',
  'limitOffset',
  'monitorPrice',
  'most',
  'perShare',
  'percent',
  'price',
  'quantity',
  'ratio',
  'trailingAmount',
  'trailingPercent',
  'triggerPrice',
  'withheld',
]);

/** Writes an event as one line of JSON; Decimals become text, exactly. */
export function encodeEvent(event: SluiceEvent): string {
  return JSON.stringify(event);
}

/** Reads what `encodeEvent` wrote; throws SyntaxError or RangeError when the text is not that. */
export function decodeEvent(text: string): SluiceEvent {
  return JSON.parse(text, revive) as SluiceEvent;
}

function revive(key: string, value: unknown): unknown {
  if (typeof value === 'string' && DECIMAL_FIELDS.has(key)) return written(value);
  if (key !== 'cash' || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([currency, amount]) => [currency, written(String(amount))]),
  );
}

const WRITTEN = /^-?\d+(\.\d+)?(e[+-]\d+)?$/;

/** Any figure as a Decimal prints itself, however long: wilder ones than a venue sends are remembered with their denial. */
function written(text: string): Decimal {
  if (WRITTEN.test(text)) return new Decimal(text);
  throw new RangeError(`Cannot read "${text}" as a figure of the journal`);
}
