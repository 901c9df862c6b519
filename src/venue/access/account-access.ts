import { z } from 'zod';
import { parseOptionSymbol } from '../../model/option-symbol.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { EndpointName } from '../../wire/endpoints.ts';
import type { SubTypeNumber } from '../quotes/subscriptions.ts';

/** Quote levels, lowest first. @see docs/wire-protocol.md, "Calls" */
export const QUOTE_LEVELS = ['none', 'basic', 'lv1', 'lv2'] as const;
export type QuoteLevel = (typeof QUOTE_LEVELS)[number];

/**
 * Services enabled for an account; absent means enabled. Markets are `HK`, `US`, `USOption` and any other listed
 * market.
 */
export interface AccessTerms {
  /** Markets in which it may submit and replace orders; all if absent. */
  readonly trade?: readonly string[] | undefined;
  /** Quote level by market; default `lv2`. */
  readonly quotes?: Readonly<Record<string, QuoteLevel>> | undefined;
  /** Account, positions, cash flow, funds. */
  readonly assets?: boolean | undefined;
  readonly watchlist?: boolean | undefined;
  /** Addresses that may call; any if absent. */
  readonly addresses?: readonly string[] | undefined;
  /** Acts as a real-money account for requests with `x-papertrading`. */
  readonly live?: boolean | undefined;
}

/** Schema of `AccessTerms` on the admin port and in the command-line flag. */
export const accessTerms = z.strictObject({
  trade: z.array(z.string().min(1).max(16)).max(32).optional(),
  quotes: z.record(z.string().max(16), z.enum(QUOTE_LEVELS)).optional(),
  assets: z.boolean().optional(),
  watchlist: z.boolean().optional(),
  addresses: z.array(z.string().max(64)).max(100).optional(),
  live: z.boolean().optional(),
});

export function readAccess(text: string): AccessTerms | string {
  try {
    const read = accessTerms.safeParse(JSON.parse(text));
    return read.success ? read.data : z.prettifyError(read.error);
  } catch {
    return 'want JSON such as {"trade": ["HK"], "quotes": {"US": "lv1"}}';
  }
}

/** Returns the market by which access is granted; options are a separate market. */
export function accessMarket(symbol: SecuritySymbol): string {
  return parseOptionSymbol(symbol) === undefined ? marketOf(symbol) : 'USOption';
}

const AREAS: Partial<Record<EndpointName, 'assets' | 'watchlist'>> = {
  account: 'assets',
  positions: 'assets',
  cashFlow: 'assets',
  funds: 'assets',
  watchlistGroups: 'watchlist',
  createGroup: 'watchlist',
  updateGroup: 'watchlist',
  deleteGroup: 'watchlist',
  pinSymbols: 'watchlist',
};

const DEPTH_LEVELS: Readonly<Record<QuoteLevel, number>> = { none: 0, basic: 0, lv1: 1, lv2: 10 };

/** Services and quote levels of each account; everything by default. */
export class AccountAccess {
  readonly #terms = new Map<string, AccessTerms>();
  #defaultTerms: AccessTerms;

  constructor(everybody: AccessTerms = {}) {
    this.#defaultTerms = everybody;
  }

  of(accountId: string): AccessTerms {
    return this.#terms.get(accountId) ?? this.#defaultTerms;
  }

  /** Merges changed terms, for one account or for all. */
  set(accountId: string | undefined, changed: AccessTerms): void {
    if (accountId !== undefined) {
      this.#terms.set(accountId, { ...this.of(accountId), ...changed });
      return;
    }
    this.#defaultTerms = { ...this.#defaultTerms, ...changed };
    for (const [id, terms] of this.#terms) this.#terms.set(id, { ...terms, ...changed });
  }

  mayTrade(accountId: string, symbol: SecuritySymbol): boolean {
    return this.of(accountId).trade?.includes(accessMarket(symbol)) ?? true;
  }

  /** Returns the disabled service that an endpoint belongs to; undefined if the account may call it. */
  missingService(accountId: string, name: EndpointName): string | undefined {
    const area = AREAS[name];
    return area !== undefined && this.of(accountId)[area] === false ? area : undefined;
  }

  mayCallFrom(accountId: string, address: string): boolean {
    return this.of(accountId).addresses?.includes(address) ?? true;
  }

  isLive(accountId: string): boolean {
    return this.of(accountId).live === true;
  }

  quoteLevel(accountId: string, market: string): QuoteLevel {
    return this.of(accountId).quotes?.[market] ?? 'lv2';
  }

  /** True if the account has at least this quote level for the symbol's market. */
  hasQuoteLevel(accountId: string, symbol: SecuritySymbol, least: QuoteLevel): boolean {
    const level = this.quoteLevel(accountId, accessMarket(symbol));
    return QUOTE_LEVELS.indexOf(level) >= QUOTE_LEVELS.indexOf(least);
  }

  depthLevels(accountId: string, symbol: SecuritySymbol): number {
    return DEPTH_LEVELS[this.quoteLevel(accountId, accessMarket(symbol))];
  }

  /** Filters the subscription types by the account's quote level. Basic quotes of Hong Kong are not pushed. */
  allowedSubTypes(
    accountId: string,
    symbol: SecuritySymbol,
    types: readonly SubTypeNumber[],
  ): readonly SubTypeNumber[] {
    const level = this.quoteLevel(accountId, accessMarket(symbol));
    const isPushed = level === 'lv1' || level === 'lv2' || (level === 'basic' && marketOf(symbol) !== 'HK');
    if (!isPushed) return [];
    return types.filter((type) => {
      if (type === 2) return level !== 'basic';
      return type !== 3 || level === 'lv2';
    });
  }
}
