import { OPTION_MULTIPLIER, type OptionTerms, parseOptionSymbol } from '../../model/option-symbol.ts';
import { parseSymbol, type SecuritySymbol } from '../../model/symbol.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { QuoteCommands } from '../../wire/commands.ts';
import type { writeSecurityQuote } from '../../wire/mapper/quote.ts';
import { MAX_SYMBOLS } from '../../wire/socket-status.ts';
import type { AccountAccess } from '../access/account-access.ts';
import { readCompactDay } from './calendar-text.ts';
import {
  type Caller,
  onEmptyRequest,
  onRequest,
  type QuoteCommand,
  type QuoteResponse,
  refuse,
  respondWith,
} from './quote-response.ts';

export interface OptionPullParts {
  readonly simulation: Pick<Simulation, 'now' | 'security' | 'securities'>;
  readonly accountAccess: Pick<AccountAccess, 'hasQuoteLevel'>;
  /** Returns the quote of a symbol for pulls; empty before the first. */
  readonly quoteOf: (symbol: SecuritySymbol) => readonly ReturnType<typeof writeSecurityQuote>[];
}

interface ListedOption {
  readonly symbol: SecuritySymbol;
  readonly terms: OptionTerms;
}

/**
 * Creates the commands for option quotes (12), option chains (20, 21) and warrants (13, 22, 23). The venue lists US
 * options and no warrants, so warrant lists are empty. It computes no volatility: those fields stay empty.
 * @see docs/wire-protocol.md, "The sockets"
 */
export function optionCommands(
  commands: QuoteCommands,
  parts: OptionPullParts,
): readonly QuoteCommand<Caller>[] {
  const { simulation } = parts;
  const options: readonly ListedOption[] = simulation.securities().flatMap(({ symbol }) => {
    const terms = parseOptionSymbol(symbol);
    return terms === undefined ? [] : [{ symbol, terms }];
  });
  const optionsOn = (text: string): readonly ListedOption[] | undefined => {
    const symbol = parseSymbol(text);
    if (symbol === undefined || simulation.security(symbol) === undefined) return undefined;
    return options.filter(({ terms }) => `${terms.root}.US` === symbol);
  };
  return [
    onRequest(commands.optionQuote, ({ symbol: texts }, caller) => {
      if (texts.length > MAX_SYMBOLS) return refuse('tooMuchData');
      const requested = options.filter(({ symbol }) => texts.includes(symbol));
      const accountId = caller.session?.accountId ?? '';
      const seen = requested.filter(({ symbol }) =>
        parts.accountAccess.hasQuoteLevel(accountId, symbol, 'basic'),
      );
      if (requested.length > 0 && seen.length === 0) return refuse('noAccess');
      return respondWith({ secuQuote: seen.flatMap((option) => optionQuote(option, parts)) });
    }),
    onRequest(commands.optionChainDates, ({ symbol }) => {
      const found = optionsOn(symbol);
      if (found === undefined) return refuse('unknownSymbol');
      return respondWith({ expiryDate: [...new Set(found.map(expiryOf))].toSorted() });
    }),
    onRequest(commands.optionChainStrikes, ({ symbol, expiryDate }) => {
      const found = optionsOn(symbol);
      if (found === undefined) return refuse('unknownSymbol');
      if (readCompactDay(expiryDate) === undefined)
        return refuse('badParameters', `expiry_date: want YYYYMMDD, saw "${expiryDate.slice(0, 20)}"`);
      return respondWith({
        strikePriceInfo: strikes(found.filter((option) => expiryOf(option) === expiryDate)),
      });
    }),
    ...warrantCommands(commands, simulation),
  ];
}

function warrantCommands(
  commands: QuoteCommands,
  simulation: OptionPullParts['simulation'],
): readonly QuoteCommand<Caller>[] {
  return [
    onRequest(commands.warrantQuote, ({ symbol }) =>
      symbol.length > MAX_SYMBOLS ? refuse('tooMuchData') : respondWith({ secuQuote: [] }),
    ),
    onEmptyRequest(commands.warrantIssuers, () => respondWith({ issuerInfo: [] })),
    onRequest(
      commands.warrantFilter,
      ({ symbol: text }): QuoteResponse<typeof commands.warrantFilter.response> => {
        const symbol = parseSymbol(text);
        if (symbol === undefined || simulation.security(symbol) === undefined) return refuse('unknownSymbol');
        return respondWith({ warrantList: [], totalCount: 0 });
      },
    ),
  ];
}

function optionQuote({ symbol, terms }: ListedOption, { quoteOf }: OptionPullParts) {
  const { expiry, right, strike, root } = terms;
  return quoteOf(symbol).map(({ $typeName: _securityQuote, ...quote }) => ({
    ...quote,
    optionExtend: {
      expiryDate: expiry.replaceAll('-', ''),
      strikePrice: strike.toFixed(),
      contractMultiplier: String(OPTION_MULTIPLIER),
      contractType: 'A',
      contractSize: String(OPTION_MULTIPLIER),
      direction: right === 'call' ? 'C' : 'P',
      underlyingSymbol: `${root}.US`,
    },
  }));
}

function expiryOf({ terms }: ListedOption): string {
  return terms.expiry.replaceAll('-', '');
}

/** Returns one row per strike, ascending; a side that is not listed is empty. */
function strikes(options: readonly ListedOption[]) {
  const symbolOf = (strike: string, right: OptionTerms['right']): string =>
    options.find(({ terms }) => terms.right === right && terms.strike.toFixed() === strike)?.symbol ?? '';
  const sorted = options.toSorted((a, b) => a.terms.strike.comparedTo(b.terms.strike));
  return [...new Set(sorted.map(({ terms }) => terms.strike.toFixed()))].map((price) => ({
    price,
    callSymbol: symbolOf(price, 'call'),
    putSymbol: symbolOf(price, 'put'),
    standard: true,
  }));
}
