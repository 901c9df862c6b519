import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CorporateAction } from '../model/corporate-action.ts';
import { parseDecimal } from '../model/decimal.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { parseDay } from '../model/time.ts';
import { DataError, quoted } from './data-error.ts';

/** The file beside a symbol's bars that says what the company did to its shares. */
export const EVENTS_FILE = 'events.csv';
const HEADER = 'ex_date,type,value';
const MAX_BYTES = 4_000_000;

/**
 * Reads a symbol's dividends and splits: lines of ex-day, `dividend` (money per share) or `split` (new shares per old), and the
 * figure; further columns are passed over. Empty without the file. Throws DataError at the first line that is wrong.
 */
export function corporateActionsIn(dir: string, symbol: SecuritySymbol): readonly CorporateAction[] {
  const file = join(dir, symbol, EVENTS_FILE);
  const entry = lstatSync(file, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  if (!entry.isFile()) throw wrong('unsafe-name', 'the path is a link or no regular file', file);
  if (entry.size > MAX_BYTES) throw wrong('file-too-large', `it has more than ${MAX_BYTES} bytes`, file);
  const [header = '', ...lines] = readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  if (header !== HEADER && !header.startsWith(`${HEADER},`))
    throw wrong('bad-header', `the header is ${quoted(header)}, want "${HEADER}"`, file, 1);
  return lines.flatMap((text, index) =>
    text === '' ? [] : [actionOf(text, symbol, (code, what) => wrong(code, what, file, index + 2))],
  );
}

type Fault = (code: 'bad-timestamp' | 'bad-number' | 'bad-header', what: string) => DataError;

function actionOf(text: string, symbol: SecuritySymbol, fault: Fault): CorporateAction {
  const [day = '', type = '', figure = ''] = text.split(',');
  const exDay = parseDay(day);
  if (exDay === undefined)
    throw fault('bad-timestamp', `the ex-day is ${quoted(day)}, want a day such as 2024-01-31`);
  const value = parseDecimal(figure);
  if (value === undefined || value.lte(0))
    throw fault('bad-number', `the value is ${quoted(figure)}, want a figure above 0`);
  if (type === 'dividend') return { kind: 'dividend', symbol, exDay, perShare: value };
  if (type === 'split') return { kind: 'split', symbol, exDay, ratio: value };
  throw fault('bad-header', `the type is ${quoted(type)}, want "dividend" or "split"`);
}

function wrong(code: DataError['code'], what: string, file: string, line?: number): DataError {
  return new DataError({
    code,
    problem: `Cannot read dividends and splits: ${what}`,
    advice: 'correct the line, or the file',
    file,
    line,
  });
}
