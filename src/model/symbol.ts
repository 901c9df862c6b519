declare const symbolBrand: unique symbol;

/** `<code>.<market>`, for example `700.HK` or `AAPL.US`. */
export type SecuritySymbol = string & { readonly [symbolBrand]: true };

/** The suffix after the last dot. A suffix without a record in `markets/` is a market without a table. */
export type Market = string;

const SYMBOL = /^[A-Z0-9.]{1,24}\.[A-Z]{2,8}$/;

/** Parses a symbol; undefined unless the text is `<code>.<market>` in capitals (no look-alikes, no spaces). */
export function parseSymbol(text: string): SecuritySymbol | undefined {
  return SYMBOL.test(text) ? (text as SecuritySymbol) : undefined;
}

/** Brands a valid symbol; throws RangeError with the text otherwise. */
export function securitySymbol(text: string): SecuritySymbol {
  const symbol = parseSymbol(text);
  if (symbol === undefined) {
    throw new RangeError(`Cannot read "${text}" as a symbol, want <code>.<market> such as "700.HK"`);
  }
  return symbol;
}

/** A code of Hong Kong in the form of Yahoo and Futu, `0700.HK`: the broker uses `700.HK`. */
const PADDED = /^0+([1-9]\d*\.HK)$/;

/** Returns the symbol of a Hong Kong code with zeros in front, `700.HK` for `0700.HK`; undefined for other texts. */
export function withoutZeros(text: string): SecuritySymbol | undefined {
  return parseSymbol(PADDED.exec(text)?.[1] ?? '');
}

/**
 * Suggests the symbol that a text means: a number is a Hong Kong code (`700` is `700.HK`), letters are a US ticker
 * (`spx` is `SPX.US`); undefined if it resembles no symbol.
 */
export function suggestSymbol(text: string): SecuritySymbol | undefined {
  const trimmed = text.trim().toUpperCase();
  if (/^\d{1,5}$/.test(trimmed)) return parseSymbol(`${Number(trimmed)}.HK`);
  const known = withoutZeros(trimmed) ?? parseSymbol(trimmed);
  return known ?? (/^[A-Z]{1,6}$/.test(trimmed) ? parseSymbol(`${trimmed}.US`) : undefined);
}

/** Returns the market suffix, `HK` for `700.HK`. */
export function marketOf(symbol: SecuritySymbol): Market {
  const known = MARKETS.get(symbol);
  if (known !== undefined) return known;
  if (MARKETS.size >= MARKETS_KEPT) MARKETS.clear();
  const market = symbol.slice(symbol.lastIndexOf('.') + 1);
  MARKETS.set(symbol, market);
  return market;
}

/** Markets by symbol, cached for every quote and fill; cleared at the limit. */
const MARKETS = new Map<SecuritySymbol, Market>();
const MARKETS_KEPT = 20_000;

/** Returns the code before the market, `700` for `700.HK`. */
export function codeOf(symbol: SecuritySymbol): string {
  return symbol.slice(0, symbol.lastIndexOf('.'));
}
