import { join } from 'node:path';
import type { CorporateAction } from '../model/corporate-action.ts';
import { parseDecimal } from '../model/decimal.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { parseDay } from '../model/time.ts';
import { quoted } from './data-error.ts';
import { readSidecarFile, type SidecarFault, sidecarFaults } from './sidecar-file.ts';

export const EVENTS_FILE = 'events.csv';
const PAY_DATE = 'pay_date';
const RULES = { holds: 'dividends and splits', header: 'ex_date,type,value', bytesMax: 4_000_000 };

/**
 * Reads the corporate actions of a symbol: lines of ex-day, type and value. The value is money per share for
 * `dividend`, new shares per old for `split`, and the payment per share for `delisting` (empty for the last price). A
 * column `pay_date` contains the payment day of a dividend; other columns are ignored. Returns an empty list without
 * a file. Throws DataError at the first bad line.
 */
export function corporateActionsIn(dir: string, symbol: SecuritySymbol): readonly CorporateAction[] {
  const file = join(dir, symbol, EVENTS_FILE);
  const read = readSidecarFile(file, RULES);
  if (read === undefined) return [];
  const { header, lines } = read;
  const faultAt = sidecarFaults(file, RULES);
  const payAt = header.split(',').indexOf(PAY_DATE);
  return lines.flatMap((text, index) => {
    const fault: SidecarFault = (code, what) => faultAt(code, what, index + 2);
    return text === '' ? [] : [actionOf(text.split(','), { symbol, payAt, fault })];
  });
}

/** Finds lines that repeat an earlier line; a backtest would apply both. */
export function repeatedActions(
  dir: string,
  symbol: SecuritySymbol,
): readonly { readonly line: number; readonly message: string }[] {
  const { lines } = readSidecarFile(join(dir, symbol, EVENTS_FILE), RULES) ?? { lines: [] };
  const first = new Map<string, number>();
  return lines.flatMap((text, index) => {
    const [day, type, figure = ''] = text.split(',');
    const content = [day, type, parseDecimal(figure)?.toString() ?? figure].join(',');
    const line = index + 2;
    const before = first.get(content);
    if (before === undefined) first.set(content, line);
    if (before === undefined || text === '') return [];
    return [
      { line, message: `The same ${type} of ${day} is on line ${before}: a backtest would apply both` },
    ];
  });
}

interface Line {
  readonly symbol: SecuritySymbol;
  /** Index of the column with the payment day; -1 if there is none. */
  readonly payAt: number;
  readonly fault: SidecarFault;
}

function actionOf(fields: readonly string[], { symbol, payAt, fault }: Line): CorporateAction {
  const [day = '', type = '', figure = ''] = fields;
  const exDay = parseDay(day);
  if (exDay === undefined)
    throw fault('bad-timestamp', `the ex-day is ${quoted(day)}, want a day such as 2024-01-31`);
  const value = parseDecimal(figure);
  if (type === 'delisting') {
    if (figure === '') return { kind: 'delisting', symbol, exDay };
    if (value?.gte(0) === true) return { kind: 'delisting', symbol, exDay, price: value };
    throw fault('bad-number', `the value is ${quoted(figure)}, want the amount per share, or an empty value`);
  }
  if (value === undefined || value.lte(0))
    throw fault('bad-number', `the value is ${quoted(figure)}, want a number above 0`);
  if (type === 'split') return { kind: 'split', symbol, exDay, ratio: value };
  if (type !== 'dividend')
    throw fault('bad-header', `the type is ${quoted(type)}, want "dividend", "split" or "delisting"`);
  const paid = fields[payAt] ?? '';
  if (paid === '') return { kind: 'dividend', symbol, exDay, perShare: value };
  const payDay = parseDay(paid);
  if (payDay === undefined || payDay < exDay)
    throw fault('bad-timestamp', `the pay date is ${quoted(paid)}, want a day on or after the ex-day`);
  return { kind: 'dividend', symbol, exDay, perShare: value, payDay };
}
