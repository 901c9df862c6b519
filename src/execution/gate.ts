import { EMPTY, type Observable } from 'rxjs';
import type { Decimal } from '../model/decimal.ts';
import { ZERO } from '../model/decimal.ts';
import type { OrderIntent, OrderTerms } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { CallBudget, CallsUsed } from '../ports/call-budget.ts';
import type { RuleHost } from '../ports/rule-host.ts';
import { andThen, atOnce, eachAs, inOrder, silent } from '../ports/steps.ts';
import type { Aged, RiskFacts } from '../risk/facts.ts';
import { type GateMove, type GateWish, moveGate } from '../risk/gate-state.ts';
import type { RiskLimits } from '../risk/limits.ts';
import { dailyLoss, lossBreach } from '../risk/loss-rules.ts';
import { judgeOwn, type OwnLimits } from '../risk/own-limits.ts';
import { denyMore, questionOf } from '../risk/own-rules.ts';
import { foregone, judge, type Verdict } from '../risk/risk-gate.ts';
import { cashDifferences, differenceText, positionDifferences } from './books.ts';
import { dayProfit, equityOfResume } from './day-profit.ts';
import {
  type FactSources,
  factsBeforeAsking,
  gatherFacts,
  keptMargin,
  opensExposure,
  quoteAge,
} from './gather-facts.ts';
import { ownFacts } from './own-books.ts';
import type { Recorder } from './recorder.ts';

/** The risk gate at work: it gathers, lets the rules judge, and writes down where it stands. */
export interface Gate {
  /** Judges one intent. Emits once. */
  judge(intent: OrderIntent): Observable<Verdict>;
  /** Moves the gate as a person or a comparison of books wishes, when the wish is theirs to have. Emits once. */
  move(wish: GateWish): Observable<GateMove>;
  /** Where our positions and cash are not the venue's, asked now, each with both numbers. Emits once. */
  differences(): Observable<Compared>;
  /** Judges the account's losses by themselves, and moves the gate when they are too large. Emits what moved it, or nothing. */
  reviewLosses(): Observable<GateMove>;
}

/** What a comparison of the books came to. */
export type Compared =
  | { readonly kind: 'compared'; readonly differences: readonly string[] }
  /** The venue did not tell what is held. */
  | { readonly kind: 'unread'; readonly why: string };

/** Where the gate's facts come from. */
export interface GateSources extends FactSources {
  /** Asks the venue for a symbol's quote (11); `reference` then tells it. Emits once, also when the venue did not answer. */
  pullQuote(symbol: SecuritySymbol): Observable<unknown>;
}

/** What a gate works with. */
export interface GateParts {
  readonly sources: GateSources;
  readonly recorder: Recorder;
  readonly limits: RiskLimits;
  /** Limits that one of several strategies has of its own; absent: none has any. */
  readonly ownLimits?: (strategy: string) => OwnLimits | undefined;
  /** Equity of the account by our own books, which own limits are shares of. */
  readonly equity?: () => Decimal;
  /** What whoever compares the books found last; what speaks against opening there holds until it is found otherwise. */
  readonly books?: () => Aged<readonly string[]> | undefined;
  /** True while a split is told of that the venue has not carried out: prices and positions are not of the same shares. */
  readonly awaitsSplit?: () => boolean;
  /** Asks for a comparison of the books: positions were seen to differ. */
  readonly onDiffering?: () => void;
  /** Where the account may make only so many calls; absent: nobody counts. */
  readonly budget?: CallBudget | undefined;
  /** Rules of somebody's own, asked about what all others passed; absent: there are none. */
  readonly rules?: RuleHost | undefined;
}

/** Calls of one order that opens: the estimate, the account and the submit; and the margin ratio when it is not known. */
const CALLS_OF_AN_OPEN = 3;

/**
 * Ties facts, rules and journal together. A quote that is too old is pulled once before it is judged (I-5); positions are
 * compared with the venue's where nothing says that they agree. One intent at a time is judged and armed, so what one order
 * takes is reserved before the next is looked at.
 */
export function createGate(parts: GateParts): Gate {
  const { sources, recorder, limits, books, budget, rules } = parts;
  const { broker, state } = sources;
  let compared: Aged<readonly string[]> | undefined;

  const facing: FactSources = broker.facts.pushComplete ? sources : { ...sources, books: newestBooks };

  function newestBooks(): Aged<readonly string[]> | undefined {
    const reconciled = books?.();
    if (reconciled === undefined || compared === undefined) return reconciled ?? compared;
    return reconciled.value.length > 0 || reconciled.at > compared.at ? reconciled : compared;
  }

  /** What was found against opening holds until it is found otherwise, whatever is asked now. */
  function standingDifferences(): Aged<readonly string[]> | undefined {
    const found = books?.();
    return found === undefined || found.value.length === 0 ? undefined : found;
  }

  function freshQuote(terms: OrderTerms): Observable<unknown> {
    const known = sources.reference(terms.symbol) !== undefined;
    const old = quoteAge(terms, sources) > limits.maxQuoteAge;
    return known && !old ? EMPTY : sources.pullQuote(terms.symbol);
  }

  function compare(): Observable<Compared> {
    const at = sources.now();
    return eachAs(broker.positions(), (answer) => {
      if (answer.kind !== 'ok') return { kind: 'unread', why: answer.message };
      const differences = positionDifferences(state, answer.value).map(differenceText);
      compared = { value: differences, at };
      return { kind: 'compared', differences };
    });
  }

  function compareAll(): Observable<Compared> {
    return andThen(compare(), (positions) => {
      if (positions.kind === 'unread') return atOnce(() => positions);
      return eachAs(broker.balance(sources.currency), (answer): Compared => {
        if (answer.kind !== 'ok') return { kind: 'unread', why: answer.message };
        const cash = cashDifferences(state, answer.value).map(differenceText);
        return { kind: 'compared', differences: [...positions.differences, ...cash] };
      });
    });
  }

  function comparedBooks(): Observable<unknown> {
    const at = sources.now();
    const known = newestBooks();
    const agreed = known !== undefined && known.value.length === 0;
    if (broker.facts.pushComplete || (agreed && at - known.at <= limits.maxPositionsAge)) return EMPTY;
    return compare();
  }

  function prepare(intent: OrderIntent): Observable<never> {
    const { terms } = intent;
    if (!opensExposure(terms, facingFor(intent))) return EMPTY;
    return silent(
      inOrder(
        () => freshQuote(terms),
        () => comparedBooks(),
      ),
    );
  }

  function judged(intent: OrderIntent, facts: RiskFacts): Observable<Verdict> {
    const verdict = judge(intent, facts, limits);
    const equity = facts.opening?.balance.value.equity;
    return inOrder<Verdict>(
      () => notePeak(equity),
      () => moved(verdict, equity),
      () => alsoAsked(verdict, facts),
    );
  }

  /** Rules of somebody's own may deny what passed; what an operator gives up is not theirs to hold. */
  function alsoAsked(verdict: Verdict, facts: RiskFacts): Observable<Verdict> {
    if (rules === undefined || verdict.kind === 'denied' || verdict.intent.purpose === 'flatten')
      return atOnce(() => verdict);
    return eachAs(rules.ask(questionOf(verdict.intent, facts)), (answer) =>
      denyMore(verdict, answer, facts.opens),
    );
  }

  function notePeak(equity: Decimal | undefined): Observable<never> {
    if (equity === undefined || equity.lte(state.gate.peakEquity ?? ZERO)) return EMPTY;
    return silent(recorder.record({ kind: 'equity-peaked', at: sources.now(), equity }));
  }

  function moved(verdict: Verdict, equity: Decimal | undefined): Observable<never> {
    if (verdict.kind === 'approved' || verdict.wish === undefined) return EMPTY;
    return silent(moveByRule(verdict.wish, equity));
  }

  function move(wish: GateWish, equity: Decimal | undefined): Observable<GateMove> {
    const at = sources.now();
    const result = moveGate(state.gate.standing, wish, at);
    if (result.kind !== 'moved') return atOnce(() => result);
    const { since: _since, ...standing } = result.standing;
    const event = {
      kind: 'gate-moved' as const,
      at,
      ...standing,
      ...(equity === undefined ? {} : { equity }),
    };
    return eachAs(recorder.record(event), () => result);
  }

  /** A resume counts losses from now on, so it wants to know what there is. */
  function moveByHand(wish: GateWish): Observable<GateMove> {
    if (wish.by !== 'operator' || wish.to !== 'active') return move(wish, undefined);
    return andThen(broker.balance(sources.currency), (answer) =>
      move(wish, answer.kind === 'ok' ? answer.value.equity : undefined),
    );
  }

  function reviewLosses(): Observable<GateMove> {
    return andThen(broker.balance(sources.currency), (answer) => {
      if (answer.kind !== 'ok') return EMPTY;
      const { equity } = answer.value;
      const { peakEquity } = state.gate;
      const figures = {
        ...{ equity, peakEquity },
        dayProfit: dayProfit(sources),
        resumedEquity: equityOfResume(sources),
      };
      const wish = lossBreach(figures, limits);
      return wish === undefined ? EMPTY : moveByRule(wish, equity);
    });
  }

  /**
   * The loss of a day is counted with our own positions. Where the venue has others, after a split that nobody told of or a
   * trade by hand, it is no loss to kill by: a kill takes back the stops of what is held. Comparing the books halts then.
   */
  function moveByRule(wish: GateWish, equity: Decimal | undefined): Observable<GateMove> {
    if (wish.rule !== dailyLoss.name || broker.facts.pushComplete) return move(wish, equity);
    if (parts.awaitsSplit?.() === true) return EMPTY;
    return andThen(compare(), (found) => {
      if (found.kind === 'unread' || found.differences.length === 0) return move(wish, equity);
      parts.onDiffering?.();
      return EMPTY;
    });
  }

  function facingFor({ id, link, replaces }: OrderIntent): FactSources {
    if (link === undefined && replaces === undefined) return facing;
    return { ...facing, link, replaces: replaces === true ? id : undefined };
  }

  function gathered(intent: OrderIntent): Observable<Verdict> {
    return inOrder<Verdict>(
      () => prepare(intent),
      () => andThen(gatherFacts(intent.terms, facingFor(intent)), (facts) => judged(intent, facts)),
    );
  }

  /** Places for all its calls come before the first question, so that no verdict grows old in a queue (I-5, I-17). */
  function judgeInBudget(intent: OrderIntent): Observable<Verdict> {
    const { terms } = intent;
    if (budget === undefined || !opensExposure(terms, facingFor(intent))) return gathered(intent);
    const denied = foregone(
      intent,
      factsBeforeAsking(terms, { ...facingFor(intent), books: standingDifferences }),
      limits,
    );
    if (denied !== undefined)
      return inOrder<Verdict>(
        () => moved(denied, undefined),
        () => atOnce(() => denied),
      );
    const calls = CALLS_OF_AN_OPEN + (keptMargin(terms.symbol, sources) === undefined ? 1 : 0);
    return andThen(budget.hold(calls), (isHeld) => {
      if (!isHeld) return atOnce(() => withoutPlace(intent, calls, budget.used()));
      return eachAs(gathered(intent), (verdict) => {
        if (verdict.kind === 'denied') budget.release();
        return verdict;
      });
    });
  }

  /** A strategy's own limits come first: what they deny costs no call. */
  function ownDenial(intent: OrderIntent): Observable<Verdict> | undefined {
    const { strategy } = intent;
    const own = strategy === undefined ? undefined : parts.ownLimits?.(strategy);
    if (own === undefined || strategy === undefined || parts.equity === undefined) return undefined;
    const denied = judgeOwn(intent, ownFacts(intent, strategy, facingFor(intent), parts.equity()), own);
    return denied === undefined ? undefined : atOnce(() => denied);
  }

  return {
    judge: (intent) => inOrder(() => ownDenial(intent) ?? judgeInBudget(intent)),
    move: (wish) => inOrder(() => moveByHand(wish)),
    differences: () => inOrder(compareAll),
    reviewLosses: () => inOrder(reviewLosses),
  };
}

function withoutPlace(
  intent: OrderIntent,
  calls: number,
  { cancel, read, open, max, windowMs }: CallsUsed,
): Verdict {
  const used = `${open} by opens, ${read} by reads, ${cancel} by cancels`;
  return {
    kind: 'denied',
    intent,
    rule: 'call-budget',
    reason: `No ${calls} calls are free for an order that opens: of ${max} in ${windowMs / 1_000} s are used ${used}`,
    numbers: [{ name: 'calls of opens', value: String(open), limit: String(max) }],
  };
}
