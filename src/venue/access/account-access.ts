import { z } from 'zod';
import { parseOptionSymbol } from '../../model/option-symbol.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { EndpointName } from '../../wire/endpoints.ts';
import type { SubTypeNumber } from '../quotes/subscriptions.ts';

/** How much of a market's quotes an account may see, the least first. @see docs/wire-protocol.md, "Calls" */
export const QUOTE_LEVELS = ['none', 'basic', 'lv1', 'lv2'] as const;
export type QuoteLevel = (typeof QUOTE_LEVELS)[number];

/** What is enabled for an account; what is absent is. Markets are `HK`, `US`, `USOption` and any other that is listed. */
export interface AccessTerms {
  /** Markets whose orders it may place or change; all when absent. */
  readonly trade?: readonly string[] | undefined;
  /** Quote level by market; `lv2` where absent. */
  readonly quotes?: Readonly<Record<string, QuoteLevel>> | undefined;
  /** Account, positions, cash flow, funds. */
  readonly assets?: boolean | undefined;
  readonly watchlist?: boolean | undefined;
  /** Addresses that may call; any when absent. */
  readonly addresses?: readonly string[] | undefined;
  /** Acts as a real-money account for requests with `x-papertrading`. */
  readonly live?: boolean | undefined;
}

/** The form of access on the admin port and in the flag. */
export const accessTerms = z.strictObject({
  trade: z.array(z.string().min(1).max(16)).max(32).optional(),
  quotes: z.record(z.string().max(16), z.enum(QUOTE_LEVELS)).optional(),
  assets: z.boolean().optional(),
  watchlist: z.boolean().optional(),
  addresses: z.array(z.string().max(64)).max(100).optional(),
  live: z.boolean().optional(),
});

/** Reads access from JSON; returns the problem where it cannot. */
export function readAccess(text: string): AccessTerms | string {
  try {
    const read = accessTerms.safeParse(JSON.parse(text));
    return read.success ? read.data : z.prettifyError(read.error);
  } catch {
    return 'want JSON such as {"trade": ["HK"], "quotes": {"US": "lv1"}}';
  }
}

/** The market that rights hang on: options are a separate market. */
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

/** Price levels that an account sees of a book. */
const DEPTH_LEVELS: Readonly<Record<QuoteLevel, number>> = { none: 0, basic: 0, lv1: 1, lv2: 10 };

/** Which services and quote levels each account has; everything by default. */
export class AccountAccess {
  readonly #terms = new Map<string, AccessTerms>();
  #everybody: AccessTerms;

  constructor(everybody: AccessTerms = {}) {
    this.#everybody = everybody;
  }

  /** What holds for an account. */
  of(accountId: string): AccessTerms {
    return this.#terms.get(accountId) ?? this.#everybody;
  }

  /** Changes what is named, for one account or for all. */
  set(accountId: string | undefined, changed: AccessTerms): void {
    if (accountId !== undefined) {
      this.#terms.set(accountId, { ...this.of(accountId), ...changed });
      return;
    }
    this.#everybody = { ...this.#everybody, ...changed };
    for (const [id, terms] of this.#terms) this.#terms.set(id, { ...terms, ...changed });
  }

  mayTrade(accountId: string, symbol: SecuritySymbol): boolean {
    return this.of(accountId).trade?.includes(accessMarket(symbol)) ?? true;
  }

  /** The service that an endpoint belongs to and the account has not; undefined when it may be called. */
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

  /** True when the account sees at least so much of the symbol's market. */
  sees(accountId: string, symbol: SecuritySymbol, least: QuoteLevel): boolean {
    const level = this.quoteLevel(accountId, accessMarket(symbol));
    return QUOTE_LEVELS.indexOf(level) >= QUOTE_LEVELS.indexOf(least);
  }

  depthLevels(accountId: string, symbol: SecuritySymbol): number {
    return DEPTH_LEVELS[this.quoteLevel(accountId, accessMarket(symbol))];
  }

  /** The kinds of pushes that the account may receive of a symbol; basic quotes of Hong Kong are not pushed. */
  pushed(
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
