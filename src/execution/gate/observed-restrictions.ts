import type { BotState } from '../../events/bot-state.ts';
import type { Restriction } from '../../model/gate.ts';
import { isTerminalStatus } from '../../model/order.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Broker } from '../../ports/broker.ts';
import type { MissingQuotes } from '../../ports/quote-feed.ts';
import { booksAgree, knownFacts, unheardQuote } from '../../risk/fact-rules.ts';
import { symbolHalt, unknownBefore } from '../../risk/state-rules.ts';
import type { Reconciler } from '../reconciliation/reconciler.ts';
import type { ExchangeRates } from './exchange-rates.ts';

/** A custom rule whose latest answer was a failure. */
export interface FailedRule {
  readonly rule: string;
  readonly message: string;
  readonly since: Millis;
}

/** Sources of observed restrictions. */
interface ObservedSources {
  readonly state: Pick<BotState, 'live'>;
  readonly rates: Pick<ExchangeRates, 'missing' | 'missingSince'>;
  readonly reconciler: Pick<Reconciler, 'doubts'>;
  /** Quotes that do not arrive; absent if no quote can be lost. */
  readonly missingQuotes: (() => readonly MissingQuotes[]) | undefined;
  readonly broker: Pick<Broker, 'unread'>;
  failedRule(): FailedRule | undefined;
  /** Start of the recovery in progress; undefined when it is complete. */
  recoveringSince(): Millis | undefined;
}

/**
 * Lists restrictions that last as long as their observed cause, each with the rule that denies by it. They are
 * computed only here.
 */
export function* observedRestrictions(sources: ObservedSources): Generator<Restriction> {
  const since = sources.recoveringSince();
  if (since !== undefined)
    yield observed('recovering', 'recovering', 'orders and account are read before trading begins', since);
  for (const { symbol, why, since: from } of sources.missingQuotes?.() ?? [])
    yield observed('quotes-unheard', unheardQuote.name, why, from, symbol);
  for (const { cause, why, since: from } of sources.reconciler.doubts())
    yield { ...observed(cause, booksAgree.name, why, from), by: 'books' };
  for (const currency of sources.rates.missing())
    yield observed(
      `rate-missing ${currency}`,
      knownFacts.name,
      `no fresh exchange rate for ${currency}, so equity is not known`,
      sources.rates.missingSince(currency),
    );
  for (const { orderId, symbol, status, why, since: from = millis(0) } of sources.broker.unread?.() ?? []) {
    if (isTerminalStatus(status)) continue;
    yield observed(
      'unread-order',
      symbolHalt.name,
      `order "${orderId}" may be executed: ${why}`,
      from,
      symbol,
    );
  }
  const failed = sources.failedRule();
  if (failed !== undefined) yield observed('rule-failed', failed.rule, failed.message, failed.since);
  for (const { terms, decidedAt, intentId } of sources.state.live.unknown())
    yield observed(
      'unknown-order',
      unknownBefore.name,
      `whether the venue took order ${intentId} is unknown`,
      decidedAt,
      terms.symbol,
    );
}

function observed(
  cause: string,
  rule: string,
  reason: string,
  since: Millis,
  symbol?: Restriction['symbol'],
): Restriction {
  const restriction = { cause, state: 'reduce-only', by: 'gate', rule, reason, since } as const;
  return symbol === undefined ? restriction : { ...restriction, symbol };
}
