declare const symbolBrand: unique symbol;

/** `<code>.<market>`, for example `700.HK` or `AAPL.US`. */
export type SecuritySymbol = string & { readonly [symbolBrand]: true };

/** The part behind the last dot. HK and US have tables in `markets/`; any other suffix is a market without one. */
export type Market = string;

const SYMBOL = /^[A-Z0-9.]{1,24}\.[A-Z]{2,8}$/;

/** Reads a symbol; returns undefined when the text is not `<code>.<market>` in capitals (no look-alikes, no spaces). */
export function parseSymbol(text: string): SecuritySymbol | undefined {
  return SYMBOL.test(text) ? (text as SecuritySymbol) : undefined;
}

/** Brands a symbol known to be one; throws RangeError naming the text when it is not. */
export function securitySymbol(text: string): SecuritySymbol {
  const symbol = parseSymbol(text);
  if (symbol === undefined) {
    throw new RangeError(`Cannot read "${text}" as a symbol, want <code>.<market> such as "700.HK"`);
  }
  return symbol;
}

/**
 * The symbol that was probably meant: a number is a Hong Kong code (`700` is `700.HK`), letters are a US ticker (`spx` is `SPX.US`);
 * undefined for text that resembles no symbol.
 */
export function suggestSymbol(text: string): SecuritySymbol | undefined {
  const trimmed = text.trim().toUpperCase();
  if (/^\d{1,5}$/.test(trimmed)) return parseSymbol(`${Number(trimmed)}.HK`);
  return parseSymbol(trimmed) ?? (/^[A-Z]{1,6}$/.test(trimmed) ? parseSymbol(`${trimmed}.US`) : undefined);
}

/** The market suffix, `HK` for `700.HK`. */
export function marketOf(symbol: SecuritySymbol): Market {
  const known = MARKETS.get(symbol);
  if (known !== undefined) return known;
  if (MARKETS.size >= MARKETS_KEPT) MARKETS.clear();
  const market = symbol.slice(symbol.lastIndexOf('.') + 1);
  MARKETS.set(symbol, market);
  return market;
}

/** Markets by symbol, so that they are not parsed again for every quote and fill; cleared at the limit. */
const MARKETS = new Map<SecuritySymbol, Market>();
const MARKETS_KEPT = 20_000;

/** The code in front of the market, `700` for `700.HK`. */
export function codeOf(symbol: SecuritySymbol): string {
  return symbol.slice(0, symbol.lastIndexOf('.'));
}
