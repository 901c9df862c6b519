import type { Price } from '../model/decimal.ts';
import { AGREEING_UPDATES } from '../model/quote.ts';
import { type Millis, millis } from '../model/time.ts';
import type { EstimateTerms, QuoteFact, RiskFacts } from './facts.ts';
import type { LimitName, RiskLimits } from './limits.ts';
import { deny, lengthOf, number, passes, percent, type RiskRule } from './rule.ts';

/** Denies an opening order if some of its facts could not be gathered. */
export const knownFacts: RiskRule = {
  name: 'known-facts',
  breach: 'nothing',
  judge({ terms }, facts) {
    if (!facts.opens) return undefined;
    const { reference } = facts;
    if (facts.unanswered.length > 0) return deny(`No answer about ${facts.unanswered.join(', ')}`);
    if (reference === undefined) return deny(`No quote of "${terms.symbol}"`);
    if (!reference.value.gt(0) || !reference.value.isFinite())
      return deny(`Last price ${reference.value} of "${terms.symbol}" is not a price`);
    if (facts.rate === undefined) return deny(`No exchange rate for ${facts.security?.currency}`);
    const [unrated] = facts.currenciesWithoutRate ?? [];
    if (unrated !== undefined)
      return deny(`No fresh exchange rate for ${unrated}, which the account has: equity is not known`);
    if (facts.opening === undefined)
      return deny('The venue stated neither buy limit, margin ratio nor balance');
    if (facts.others === undefined) {
      const which = facts.unpriced?.join(', ') ?? 'a position in another symbol';
      return deny(`No price or no exchange rate for ${which}: equity is not known`);
    }
    if (facts.dayProfit === undefined && facts.resumedEquity === undefined)
      return deny('The loss of the day is not known: a price or a rate is missing');
    return undefined;
  },
};

/** Denies an opening order while our positions differ from the venue's. @see docs/reliability.md, I-13 */
export const booksAgree: RiskRule = {
  name: 'books-agree',
  breach: 'nothing',
  judge(_intent, { opens, books }) {
    if (!opens || books === undefined || books.value.length === 0) return undefined;
    return deny(`Our books are not known to be the venue's: ${books.value.join('; ')}`);
  },
};

/** Requires that the estimate was requested for exactly these parameters. @see docs/reliability.md, F-B24 */
export const estimateFits: RiskRule = {
  name: 'estimate-fits',
  breach: 'nothing',
  judge({ terms }, { opening }) {
    if (opening === undefined) return undefined;
    const { asked } = opening;
    return passes(
      queryText(asked) === queryText(terms),
      () => [number('estimate asked for', queryText(asked), queryText(terms))],
      () => `Buy limit was asked for ${queryText(asked)}, the order is to ${queryText(terms)}`,
    );
  },
};

function queryText({ side, symbol, type, price }: EstimateTerms): string {
  return `${side} ${symbol} ${type}${price === undefined ? '' : ` at ${price}`}`;
}

/** Denies market orders while the book is crossed or locked. @see docs/reliability.md, F-D04 */
export const crossedBook: RiskRule = {
  name: 'crossed-book',
  breach: 'nothing',
  judge({ terms }, { reference, session, opens }) {
    const { bid, ask } = reference ?? {};
    if (bid === undefined || ask === undefined || terms.price !== undefined || !opens) return undefined;
    if (session.kind !== 'regular') return undefined;
    return passes(
      bid.lt(ask),
      () => [number('best bid', bid.toString(), `below best ask ${ask}`)],
      () => `Book of "${terms.symbol}" is ${bid.eq(ask) ? 'locked' : 'crossed'}: bid ${bid}, ask ${ask}`,
    );
  },
};

/**
 * Denies opening orders in a symbol whose quotes do not arrive, however recent the last one is. @see
 * docs/reliability.md, I-9, F-B34
 */
export const unheardQuote: RiskRule = {
  name: 'unheard-quote',
  breach: 'nothing',
  judge({ terms }, { opens, unheard }) {
    if (!opens || unheard === undefined) return undefined;
    return deny(`Quotes of "${terms.symbol}" do not arrive: ${unheard}`);
  },
};

/**
 * Denies opening orders at a price that jumped until it is confirmed: by enough consecutive updates if the feed
 * counts them, otherwise by the close of a bar of the symbol. @see docs/reliability.md, F-D03
 */
export const quoteJump: RiskRule = {
  name: 'quote-jump',
  breach: 'nothing',
  judge({ terms }, { opens, reference, lastClose }, limits) {
    if (!opens || reference === undefined || isConfirmed(reference)) return undefined;
    const { trusted } = reference;
    const from = trusted ?? lastClose;
    if (from === undefined || !from.gt(0)) return undefined;
    const what = trusted === undefined ? 'newest close' : 'last believed price';
    const distance = reference.value.minus(from).abs();
    const jump = (): string => percent(distance.div(from));
    return passes(
      distance.lte(from.times(limits.maxQuoteJump)),
      () => [number(`distance of quote from ${what}`, jump(), percent(limits.maxQuoteJump))],
      () => `Quote ${reference.value} of "${terms.symbol}" is ${jump()} from its ${what} ${from}`,
    );
  },
};

function isConfirmed({ agreeing }: QuoteFact): boolean {
  return agreeing !== undefined && agreeing >= AGREEING_UPDATES;
}

/**
 * The price to act on and to value positions with: while the newest one jumped and is not confirmed, the one before.
 */
export function believedPrice(quote: QuoteFact): Price {
  if (quote.agreeing === undefined || isConfirmed(quote)) return quote.value;
  return quote.trusted ?? quote.value;
}

type AgeLimit = Extract<LimitName, `max${string}Age`>;

/** A fact that has a maximum age. */
interface AgeCheck {
  readonly rule: string;
  readonly what: string;
  readonly limit: AgeLimit;
  /** Undefined if the fact is missing, which another rule checks. */
  readonly ageMs: (facts: RiskFacts) => number | undefined;
}

const AGE_LIMITS: readonly AgeCheck[] = [
  {
    rule: 'stale-quote',
    what: 'quote',
    limit: 'maxQuoteAge',
    ageMs: ({ reference, quoteAgeMs }) => (reference === undefined ? undefined : quoteAgeMs),
  },
  {
    rule: 'stale-estimate',
    what: 'buy-limit estimate',
    limit: 'maxEstimateAge',
    ageMs: ({ now, opening }) => since(now, opening?.buyLimit.at),
  },
  {
    rule: 'stale-balance',
    what: 'account balance',
    limit: 'maxBalanceAge',
    ageMs: ({ now, opening }) => since(now, opening?.balance.at),
  },
  {
    rule: 'stale-positions',
    what: 'comparison of positions',
    limit: 'maxPositionsAge',
    ageMs: ({ now, books }) => (books === undefined ? Number.POSITIVE_INFINITY : since(now, books.at)),
  },
  {
    rule: 'stale-margin',
    what: 'margin ratio',
    limit: 'maxMarginAge',
    ageMs: ({ now, opening }) => since(now, opening?.margin.at),
  },
];

/** A rule for each fact with a maximum age: an order must not open on an older one. @see docs/reliability.md, I-5 */
export const ages: readonly RiskRule[] = AGE_LIMITS.map(({ rule, what, limit, ageMs }) => ({
  name: rule,
  breach: 'nothing',
  judge({ terms }, facts, limits) {
    const age = facts.opens ? ageMs(facts) : undefined;
    if (age === undefined) return undefined;
    return passes(
      age <= limits[limit],
      () => [number(`age of ${what}`, lengthOf(age), lengthOf(limits[limit]))],
      () => `The ${what} for "${terms.symbol}" is ${agesApart(age, limits[limit])}`,
    );
  },
}));

/** Formats an age and its limit in units that show the difference. */
function agesApart(age: number, limit: number): string {
  const [is, most] = [lengthOf(age), lengthOf(limit)];
  return is === most ? `${age} ms old, limit is ${limit} ms` : `${is} old, limit is ${most}`;
}

/**
 * Returns until when the facts of a verdict are recent enough; an order that was not sent by then is denied. Its
 * session counts as well: a verdict before a close or an open is invalid after it. Undefined for an order that only
 * reduces exposure, which depends on no such fact.
 */
export function freshUntil(facts: RiskFacts, limits: RiskLimits): Millis | undefined {
  if (!facts.opens) return undefined;
  const left = AGE_LIMITS.map(
    ({ limit, ageMs }) => limits[limit] - (ageMs(facts) ?? Number.NEGATIVE_INFINITY),
  );
  return millis(Math.min(facts.session.until, ...left.map((ms) => facts.now + ms)));
}

function since(now: Millis, at: Millis | undefined): number | undefined {
  return at === undefined ? undefined : now - at;
}
