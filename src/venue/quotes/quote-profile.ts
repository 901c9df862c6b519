import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { DAY_MS, type Millis, SECOND_MS } from '../../model/time.ts';
import { accountNumber } from '../../wire/account-number.ts';
import { Command, RateLimitSchema, type UserQuoteProfileResponseSchema } from '../../wire/gen/quote_pb.ts';
import { MAX_SYMBOLS } from '../../wire/socket-status.ts';
import { QUOTE_LEVELS, type QuoteLevel } from '../access/account-access.ts';
import type { Language } from '../calls/language.ts';
import type { CommandLimit } from '../server/limits.ts';
import { QUOTE_MARKETS } from './market-facts.ts';

/** Monthly limit of symbols with history requests, of the highest tier; announced but not enforced. */
const HISTORY_SYMBOLS = 3_000;

const PACKAGE_DAYS = 365;

const LEVEL_NAMES: Readonly<Record<QuoteLevel, string>> = {
  none: 'Lv0',
  basic: 'Basic',
  lv1: 'Lv1',
  lv2: 'Lv2',
};

const DESCRIPTIONS: Readonly<Record<Language, string>> = {
  en: 'Prices replayed by the embedded venue',
  'zh-CN': '内置模拟场所回放的价格',
  'zh-HK': '內置模擬場所回放的價格',
};

/**
 * Returns the quote packages (one per market with listed securities and access, a warning for each other market) and
 * the call limits, so that clients throttle themselves.
 */
export function quoteProfile(facts: {
  readonly accountId: string;
  /** Quote level by market; a market with level `none` has no package. */
  readonly levels: ReadonlyMap<string, QuoteLevel>;
  readonly language: Language;
  readonly now: Millis;
  /** Limits of counted commands. */
  readonly rateLimits: readonly (CommandLimit & { readonly command: number })[];
}): MessageInitShape<typeof UserQuoteProfileResponseSchema> {
  const start = Math.floor(facts.now / SECOND_MS);
  const end = start + (PACKAGE_DAYS * DAY_MS) / SECOND_MS;
  const packageOf = (market: string) => ({
    key: `sluice-${market.toLowerCase()}`,
    name: `${market} ${LEVEL_NAMES[facts.levels.get(market) ?? 'none']} embedded venue`,
    description: DESCRIPTIONS[facts.language],
    start: BigInt(start),
    end: BigInt(end),
  });
  const opened = [...facts.levels].flatMap(([market, level]) => (level === 'none' ? [] : [market]));
  const names = [...new Set([...QUOTE_MARKETS, ...facts.levels.keys()])];
  return {
    memberId: accountNumber(facts.accountId),
    quoteLevel: LEVEL_NAMES[highest([...facts.levels.values()])],
    subscribeLimit: MAX_SYMBOLS,
    historyCandlestickLimit: HISTORY_SYMBOLS,
    rateLimit: facts.rateLimits.flatMap(({ command, limit, burst }) =>
      isCommand(command) ? [create(RateLimitSchema, { command, limit, burst })] : [],
    ),
    quoteLevelDetail: {
      byPackageKey: Object.fromEntries(opened.map((market) => [packageOf(market).key, packageOf(market)])),
      byMarketCode: Object.fromEntries(
        names.map((market) => [
          market,
          opened.includes(market)
            ? { packages: [packageOf(market)], warningMsg: '' }
            : { packages: [], warningMsg: `no access to the ${market} market` },
        ]),
      ),
    },
  };
}

function highest(levels: readonly QuoteLevel[]): QuoteLevel {
  return QUOTE_LEVELS.findLast((level) => levels.includes(level)) ?? 'none';
}

function isCommand(code: number): code is Command {
  return Object.values<number>(Command).includes(code);
}
