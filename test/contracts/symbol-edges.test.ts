import { describe, expect, it } from 'vitest';
import { symbols } from '../../src/cli/options/option-values.ts';
import { safeSymbol } from '../../src/market-data/data-folder.ts';
import { parseSymbol } from '../../src/model/symbol.ts';
import { readSymbol } from '../../src/wire/mapper/values.ts';
import { submitOrder } from '../../src/wire/schemas/order-requests.ts';
import { readWith } from '../config/reading.ts';

/** Strings that look like `SPX.US` and differ from it. */
const IMPOSTORS: readonly (readonly [string, string])[] = [
  ['small letters', 'spx.us'],
  ['a small market', 'SPX.us'],
  ['a space behind it', 'SPX.US '],
  ['a space before it', ' SPX.US'],
  ['a line break behind it', 'SPX.US\n'],
  ['a space of no width', 'SPX\u200b.US'],
  ['a soft hyphen', 'SP\u00adX.US'],
  ['a mark of direction', '\u202eSPX.US'],
  ['a byte order mark', '\ufeffSPX.US'],
  ['a letter of Cyrillic', '\u0405PX.US'],
  ['a letter of Greek', 'SP\u03a7.US'],
  ['a letter that becomes an S in capitals', '\u017fPX.US'],
  ['wide letters', 'ＳＰＸ.US'],
  ['a wide dot', 'SPX\uff0eUS'],
  ['an accent that is combined', 'SPX\u0301.US'],
  ['NUL', 'SPX.US\0'],
  ['a step out of the folder', '../SPX.US'],
];

const ORDER = {
  ...{ order_type: 'LO', side: 'Buy', time_in_force: 'Day' },
  ...{ submitted_price: '10', submitted_quantity: '100' },
};

/** Each entry point of a symbol, and whether it was accepted. */
const EDGES: readonly (readonly [string, (symbol: string) => boolean])[] = [
  ['the model', (symbol) => parseSymbol(symbol) !== undefined],
  ['a config', (symbol) => readWith({ symbols: `symbols: [${JSON.stringify(symbol)}]` }).kind === 'ok'],
  ['a command', (symbol) => taken(() => symbols(symbol))],
  ['a data folder', (symbol) => taken(() => safeSymbol(symbol, 'data'))],
  ['an order at the venue', (symbol) => submitOrder.safeParse({ ...ORDER, symbol }).success],
  ['a message of the venue', (symbol) => taken(() => readSymbol(symbol, 'symbol'))],
];

function taken(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

describe.each(EDGES)('%s (F-D09)', (_edge, takes) => {
  it('accepts a symbol', () => {
    expect(takes('SPX.US')).toBe(true);
  });

  it.each(IMPOSTORS)('refuses one with %s', (_what, symbol) => {
    expect(takes(symbol)).toBe(false);
  });
});
