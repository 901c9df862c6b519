import type { Position } from '../../model/account.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { OrderIntent, OrderTerms } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { ReadPurpose } from '../../ports/broker.ts';
import type { CallBudget, CallsUsed } from '../../ports/call-budget.ts';
import type { RuleHost } from '../../ports/rule-host.ts';
import { awaitAnswer, type Request, type Task } from '../../ports/task.ts';
import { applyCustomRule, questionOf } from '../../risk/custom-rules.ts';
import { booksAgree } from '../../risk/fact-rules.ts';
import type { Aged, RiskFacts } from '../../risk/facts.ts';
import type { GateTransition, GateTransitionResult } from '../../risk/gate-state.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import { dailyLoss, lossBreach } from '../../risk/loss-rules.ts';
import { judge, preTradeCheck, type Verdict } from '../../risk/risk-gate.ts';
import { judgeStrategyLimits, type StrategyLimits } from '../../risk/strategy-limits.ts';
import {
  cashDifferences,
  differenceText,
  positionDifferences,
} from '../reconciliation/account-differences.ts';
import type { Recorder } from '../recorder.ts';
import { dayProfit, equityAtResume } from './day-profit.ts';
import type { FactSources } from './fact-sources.ts';
import {
  cachedMarginOf,
  gatherFacts,
  localFacts,
  opensExposure,
  quoteAge,
  strategyFacts,
} from './gather-facts.ts';
import type { FailedRule } from './observed-restrictions.ts';
import type { Restrictions, SeenRestrictions } from './restrictions.ts';

/** The risk gate: gathers facts, applies the rules, and records restrictions. */
export interface Gate {
  judge(intent: OrderIntent): Task<never, Verdict>;
  /** Ends the restrictions that the operator saw; losses count from the current equity. */
  resume(transition: GateTransition, seen: SeenRestrictions): Task<never, GateTransitionResult | undefined>;
  /** Reads the account and returns the differences to our positions and cash, each with both numbers. */
  differences(): Task<never, ComparisonResult>;
  /** The custom rule whose latest answer was a failure; undefined if none. */
  failedRule(): FailedRule | undefined;
  /**
   * Checks the loss limits without an order, and restricts the gate if one is exceeded. Returns the transition, if
   * any.
   */
  reviewLosses(): Task<never, GateTransitionResult | undefined>;
}

export type ComparisonResult =
  | { readonly kind: 'compared'; readonly differences: readonly string[] }
  | { readonly kind: 'unread'; readonly why: string };

export interface GateSources extends FactSources {
  /** Requests a symbol's quote (11), which `reference` then returns. Completes even if the venue does not answer. */
  pullQuote(symbol: SecuritySymbol): Request<unknown>;
}

export interface GateParts {
  readonly sources: GateSources;
  readonly recorder: Recorder;
  readonly restrictions: Restrictions;
  readonly limits: RiskLimits;
  /** Limits of one strategy among several; absent if no strategy has limits. */
  readonly strategyLimits?: (strategy: string) => StrategyLimits | undefined;
  /** Equity of the account by our books; percentages of strategy limits refer to it. */
  readonly equity?: () => Decimal;
  /** Latest result of the reconciler; a difference blocks opening until a later result is clean. */
  readonly books?: () => Aged<readonly string[]> | undefined;
  /**
   * True while the venue's positions do not show an announced split: prices and positions use different share units.
   */
  readonly awaitsSplit?: () => boolean;
  /** Announced splits that are due and not booked; absent if there are none, or others book them. */
  readonly splits?: {
    isDue(symbol: SecuritySymbol): boolean;
    /** Why an order in old shares is not sent, if the venue's positions show the split; otherwise undefined. */
    shownBy(symbol: SecuritySymbol, positions: readonly Position[]): string | undefined;
  };
  /** Requests a reconciliation after positions were seen to differ. */
  readonly onDiffering?: () => void;
  /** Call budget of the account; absent if the venue does not limit calls. */
  readonly budget?: CallBudget | undefined;
  /** Custom rules, applied to orders that passed all other rules; absent if there are none. */
  readonly rules?: RuleHost | undefined;
}

/**
 * Calls of an opening order: estimate, balance and submit; plus one for the margin ratio unless it is cached, and one
 * for the positions unless they were compared recently.
 */
const CALLS_OF_AN_OPEN = 3;

/**
 * Creates the risk gate. An outdated quote is requested once before the check (I-5); positions are compared with the
 * venue unless they are known to agree. Intents are checked and armed one at a time, so each order is reserved before
 * the next check.
 */
export function createGate(parts: GateParts): Gate {
  const { sources, recorder, restrictions, limits, books, budget, rules } = parts;
  const { broker, state } = sources;
  let compared: Aged<readonly string[]> | undefined;
  let failed: FailedRule | undefined;

  const baseSources: FactSources = broker.facts.pushComplete ? sources : { ...sources, books: newestBooks };

  function newestBooks(): Aged<readonly string[]> | undefined {
    const reconciled = books?.();
    if (reconciled === undefined || compared === undefined) return reconciled ?? compared;
    return reconciled.value.length > 0 || reconciled.at > compared.at ? reconciled : compared;
  }

  /** Returns the reconciler's differences, which block opening until a later comparison is clean. */
  function currentDifferences(): Aged<readonly string[]> | undefined {
    const found = books?.();
    return found === undefined || found.value.length === 0 ? undefined : found;
  }

  function isQuoteOld(terms: OrderTerms): boolean {
    return sources.reference(terms.symbol) === undefined || quoteAge(terms, sources) > limits.maxQuoteAge;
  }

  function* compare(purpose?: ReadPurpose): Task<never, ComparisonResult> {
    const at = sources.now();
    const answer = yield* awaitAnswer(broker.positions(purpose));
    if (answer.kind !== 'ok') return { kind: 'unread', why: answer.message };
    const differences = positionDifferences(state, answer.value).map(differenceText);
    compared = { value: differences, at };
    return { kind: 'compared', differences };
  }

  /**
   * Compares positions and cash for an operator command. Nothing opens in that time, so it may use the calls of
   * opening orders.
   */
  function* compareAll(): Task<never, ComparisonResult> {
    const positions = yield* compare('watch');
    if (positions.kind === 'unread') return positions;
    const answer = yield* awaitAnswer(broker.balance(sources.currency, 'watch'));
    if (answer.kind !== 'ok') return { kind: 'unread', why: answer.message };
    const cash = cashDifferences(state, answer.value).map(differenceText);
    return { kind: 'compared', differences: [...positions.differences, ...cash] };
  }

  /** Whether an opening order requires a comparison of positions first. */
  function needsComparison(): boolean {
    const known = newestBooks();
    const agreed = known !== undefined && known.value.length === 0;
    return !broker.facts.pushComplete && !(agreed && sources.now() - known.at <= limits.maxPositionsAge);
  }

  /**
   * Reads the positions before a closing order in a symbol with a split that is due: an order in old shares would close
   * a part of the position or, after a consolidation, reverse it. Opening orders wait for the booking.
   */
  function* splitDenial(intent: OrderIntent): Task<never, Verdict | undefined> {
    const { terms, purpose, replaces } = intent;
    const { splits } = parts;
    if (purpose === 'flatten' || replaces === true || splits?.isDue(terms.symbol) !== true) return undefined;
    const answer = yield* awaitAnswer(broker.positions('watch'));
    const reason = answer.kind === 'ok' ? splits.shownBy(terms.symbol, answer.value) : undefined;
    if (reason === undefined) return undefined;
    parts.onDiffering?.();
    return { kind: 'denied', intent, rule: booksAgree.name, reason, numbers: [] };
  }

  function* judgeByFacts(intent: OrderIntent): Task<never, Verdict> {
    const { terms } = intent;
    const splitVerdict = yield* splitDenial(intent);
    if (splitVerdict !== undefined) return splitVerdict;
    if (opensExposure(terms, sourcesFor(intent))) {
      if (isQuoteOld(terms)) yield* awaitAnswer(sources.pullQuote(terms.symbol));
      if (needsComparison()) yield* compare();
    }
    const facts = yield* gatherFacts(terms, sourcesFor(intent));
    const verdict = judge(intent, facts, limits);
    const { equity } = facts;
    recordPeak(equity);
    yield* applyTransition(verdict, equity);
    return yield* applyCustomRules(verdict, facts);
  }

  /** Applies custom rules to an order that passed all others, except to an operator's flatten. */
  function* applyCustomRules(verdict: Verdict, facts: RiskFacts): Task<never, Verdict> {
    if (rules === undefined || verdict.kind === 'denied' || verdict.intent.purpose === 'flatten')
      return verdict;
    const answer = yield* awaitAnswer(rules.evaluate(questionOf(verdict.intent, facts)));
    if (answer.kind !== 'failed') failed = undefined;
    else if (failed?.rule !== answer.rule)
      failed = { rule: answer.rule, message: answer.message, since: sources.now() };
    return applyCustomRule(verdict, answer, facts.opens);
  }

  function recordPeak(equity: Decimal | undefined): void {
    if (equity === undefined || equity.lte(state.gate.peakEquity ?? ZERO)) return;
    recorder.record({ kind: 'equity-peaked', at: sources.now(), equity });
  }

  function* applyTransition(verdict: Verdict, equity: Decimal | undefined): Task {
    if (verdict.kind === 'denied' && verdict.transition !== undefined)
      yield* imposeTransition(verdict.transition, equity);
  }

  /** Reads the account's equity, from which losses count after the resume. */
  function* resume(
    transition: GateTransition,
    seen: SeenRestrictions,
  ): Task<never, GateTransitionResult | undefined> {
    const answer = yield* awaitAnswer(broker.balance(sources.currency));
    return restrictions.resume(transition, seen, answer.kind === 'ok' ? answer.value.equity : undefined);
  }

  function* reviewLosses(): Task<never, GateTransitionResult | undefined> {
    const answer = yield* awaitAnswer(broker.balance(sources.currency, 'watch'));
    if (answer.kind !== 'ok') return undefined;
    const { equity } = answer.value;
    const { peakEquity } = state.gate;
    const figures = {
      equity,
      peakEquity,
      dayProfit: dayProfit(sources),
      resumedEquity: equityAtResume(sources),
    };
    const transition = lossBreach(figures, limits);
    return transition === undefined ? undefined : yield* imposeTransition(transition, equity);
  }

  /**
   * Imposes a transition of a rule. The day's loss is computed from our positions: if the venue's differ, after an
   * unannounced split or a manual trade, it must not kill, because a kill cancels the stops of positions. The
   * reconciliation then halts opening.
   */
  function* imposeTransition(
    transition: GateTransition,
    equity: Decimal | undefined,
  ): Task<never, GateTransitionResult | undefined> {
    if (transition.rule !== dailyLoss.name || broker.facts.pushComplete)
      return restrictions.impose(transition, equity);
    if (parts.awaitsSplit?.() === true) return undefined;
    const found = yield* compare('watch');
    if (found.kind === 'unread' || found.differences.length === 0)
      return restrictions.impose(transition, equity);
    parts.onDiffering?.();
    return undefined;
  }

  function sourcesFor({ id, link, replaces }: OrderIntent): FactSources {
    if (link === undefined && replaces === undefined) return baseSources;
    return { ...baseSources, link, replaces: replaces === true ? id : undefined };
  }

  /**
   * Reserves all calls of an opening order before its first query, so that no verdict ages in a queue (I-5, I-17).
   */
  function* judgeWithinBudget(intent: OrderIntent): Task<never, Verdict> {
    const { terms } = intent;
    if (budget === undefined || !opensExposure(terms, sourcesFor(intent))) return yield* judgeByFacts(intent);
    const denied = preTradeCheck(
      intent,
      localFacts(terms, { ...sourcesFor(intent), books: currentDifferences }, true),
      limits,
    );
    if (denied !== undefined) {
      yield* applyTransition(denied, undefined);
      return denied;
    }
    const calls =
      CALLS_OF_AN_OPEN +
      (cachedMarginOf(terms.symbol, sources) === undefined ? 1 : 0) +
      (needsComparison() ? 1 : 0);
    // Never wait for calls here: the next order may protect a position.
    if (!budget.reserve('open', calls)) return outOfCallsVerdict(intent, calls, budget.used());
    const verdict = yield* judgeByFacts(intent);
    if (verdict.kind === 'denied') budget.release();
    return verdict;
  }

  /** Applies a strategy's limits first, because their denials cost no call. */
  function strategyLimitDenial(intent: OrderIntent): Verdict | undefined {
    const { strategy } = intent;
    const own = strategy === undefined ? undefined : parts.strategyLimits?.(strategy);
    if (own === undefined || strategy === undefined || parts.equity === undefined) return undefined;
    const facts = strategyFacts(intent.terms, strategy, sourcesFor(intent), parts.equity());
    return judgeStrategyLimits(intent, facts, { own, account: limits }, sources.rateOf);
  }

  function* judgeIntent(intent: OrderIntent): Task<never, Verdict> {
    return strategyLimitDenial(intent) ?? (yield* judgeWithinBudget(intent));
  }

  return { judge: judgeIntent, resume, differences: compareAll, failedRule: () => failed, reviewLosses };
}

function outOfCallsVerdict(
  intent: OrderIntent,
  calls: number,
  { cancel, protect, read, open, others, reserved, max, windowMs }: CallsUsed,
): Verdict {
  const total = cancel + protect + read + open + others;
  const used = [
    `${open} by opens, ${read} by reads, ${cancel} by cancels`,
    ...(protect === 0 ? [] : [`${protect} by orders that reduce`]),
    ...(others === 0 ? [] : [`${others} by other processes`]),
  ].join(', ');
  return {
    kind: 'denied',
    intent,
    rule: 'call-budget',
    reason: `${calls === 1 ? 'No call is' : `No ${calls} calls are`} free for an order that opens: ${total} of ${max} in ${windowMs / 1_000} s are used (${used}), and ${reserved} are reserved for cancels, exits and polls`,
    numbers: [{ name: 'calls of opens', value: String(open), limit: String(max) }],
  };
}
