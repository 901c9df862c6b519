import { eachLine } from './bar-file.ts';
import type { BarSource } from './csv-row.ts';
import { DataError, type DataErrorCode, quoted } from './data-error.ts';
import { readStamp } from './stamp.ts';

export const QUOTE_HEADER = ['timestamp', 'bid', 'bid_size', 'ask', 'ask_size'] as const;

/** One quote of a file: prices in the security's currency, sizes in shares; undefined for a side without a quote. */
export interface QuoteRow {
  readonly line: number;
  readonly time: number;
  readonly bid: number | undefined;
  readonly bidSize: number | undefined;
  readonly ask: number | undefined;
  readonly askSize: number | undefined;
}

const FIGURE = /^\d{1,15}(\.\d{1,15})?$/;

/**
 * Reads a quote file line by line: valid quotes go to `onQuote`, errors to `onFault`. Stamps may repeat but not
 * decrease. Throws DataError if the file cannot be read or has another header.
 */
export function eachQuote(
  path: string,
  source: BarSource,
  listener: { readonly onQuote: (quote: QuoteRow) => void; readonly onFault: (fault: DataError) => void },
): void {
  let after = Number.NEGATIVE_INFINITY;
  const decoder = new TextDecoder();
  eachLine(path, source, (bytes, line) => {
    const text = decoder.decode(bytes);
    if (line === 1) {
      if (text !== QUOTE_HEADER.join(',')) throw badHeader(text, source);
      return;
    }
    try {
      const quote = readQuote(text, { line, after, source });
      after = quote.time;
      listener.onQuote(quote);
    } catch (fault) {
      if (!(fault instanceof DataError)) throw fault;
      listener.onFault(fault);
    }
  });
}

interface QuotePlace {
  readonly source: BarSource;
  readonly line: number;
  readonly after: number;
}

function readQuote(text: string, place: QuotePlace): QuoteRow {
  const fields = text.split(',');
  if (fields.length !== QUOTE_HEADER.length) {
    throw fault('column-count', place, text, `want ${QUOTE_HEADER.length} fields in ${quoted(text)}`);
  }
  const [stamp = '', bid = '', bidSize = '', ask = '', askSize = ''] = fields;
  const time = readStamp(stamp, undefined);
  if (time === undefined)
    throw fault('bad-timestamp', place, stamp, `timestamp is ${quoted(stamp)}, want ISO-8601 UTC`);
  if (time < place.after)
    throw fault('unsorted', place, stamp, `${quoted(stamp)} is earlier than the previous quote`);
  const figure = (name: string, value: string): number | undefined => {
    if (value === '') return undefined;
    if (FIGURE.test(value)) return Number(value);
    throw fault(
      'bad-number',
      place,
      value,
      `${name} is ${quoted(value)}, want a decimal number or an empty field`,
    );
  };
  return {
    line: place.line,
    time,
    bid: figure('bid', bid),
    bidSize: figure('bid_size', bidSize),
    ask: figure('ask', ask),
    askSize: figure('ask_size', askSize),
  };
}

function fault(code: DataErrorCode, { source, line }: QuotePlace, value: string, found: string): DataError {
  return new DataError({
    code,
    problem: `Cannot read a quote of ${source.symbol}: ${found}`,
    advice: 'correct the line or remove it',
    file: source.file,
    line,
    value,
  });
}

function badHeader(text: string, { symbol, file }: BarSource): DataError {
  return new DataError({
    code: 'bad-header',
    problem: `Cannot read quotes of ${symbol}: the header is ${quoted(text)}, want "${QUOTE_HEADER.join(',')}"`,
    advice: 'write that header and put the columns in its order',
    file,
    line: 1,
    value: text,
  });
}
