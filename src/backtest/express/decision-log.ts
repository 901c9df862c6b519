import { longerColumn } from '../../events/curve/longer-column.ts';
import type { UnreturnedDrafts } from '../../events/unreturned-drafts.ts';
import { callHook } from '../../hosts/strategy/answer-question.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { StrategyContext } from '../../strategy/context.ts';
import type { HookResult, Strategy } from '../../strategy/define-strategy.ts';
import type { DraftTerms, OrderByHand } from '../../strategy/order-draft.ts';
import type { PlainData } from '../../strategy/state.ts';
import type { StrategyEvent } from '../../strategy/strategy-event.ts';
import { HOOKS } from '../../strategy/strategy-facts.ts';
import type { SupportedDraft } from './supported-draft.ts';

/** The result of a hook, of any kind. */
export type Returned = HookResult<PlainData | undefined>;

/** Encodings of an answer: `other` as it is, the rest as a symbol and one or two numbers. */
const KINDS = {
  ...{ other: 0, weight: 1, quantity: 2 },
  ...{ buy: 3, sell: 4, buyLimit: 5, sellLimit: 6, sellTrigger: 7 },
} as const;
/** Most distinct reasons to intern; drafts with further reasons are stored as they are. */
const REASONS_MAX = 255;

/** Hooks that the express engine calls. */
const CALLED_HOOKS = ['bar', 'bars', 'signal', 'fill', 'timer'] as const;
export type CalledHook = (typeof CALLED_HOOKS)[number];

/**
 * The answers of a strategy to the questions of a run. Empty answers, which are the most frequent, take no memory.
 */
export class DecisionLog {
  /** Number of answered questions. */
  asked = 0;
  /** Number of the newest question. */
  #begun = 0;
  #noted = 0;
  readonly #lost = { bar: 0, bars: 0, signal: 0, fill: 0, timer: 0 };
  #questions = new Uint32Array(0);
  // Drafts of a symbol, one or two numbers and a frequent reason are stored as numbers; most runs return nothing
  // else.
  #kinds = new Uint8Array(0);
  #symbols = new Uint32Array(0);
  #figures = new Float64Array(0);
  /** Limits and triggers; allocated when an order first has one. */
  #levels = new Float64Array(0);
  #reasons = new Uint8Array(0);
  readonly #capacity: number;
  readonly #names: SecuritySymbol[] = [];
  /** Number of each reason, from 1; 0 means none. */
  readonly #reasonNumbers = new Map<string, number>();
  readonly #reasonTexts: (string | undefined)[] = [undefined];
  readonly #others: Returned[] = [];
  #thrown: { readonly question: number; readonly thrown: unknown } | undefined;

  /** `capacity` is the initial number of rows, allocated with the first answer. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Begins the next question; exceptions before its answer are the strategy's. */
  ask(): void {
    this.#begun = this.asked + 1;
  }

  /** Whether the newest question is unanswered. */
  get isAsking(): boolean {
    return this.#begun > this.asked;
  }

  /** Records the answer to the next question. */
  returned(decision: Returned): void {
    this.#note(KINDS.other, 0, this.#others.length, 0);
    this.#others.push(decision);
  }

  /** Records an answer that is a single draft, which must be a private copy. */
  draft(draft: SupportedDraft): void {
    if (draft.kind === 'slices' || draft.kind === 'rebalance') {
      this.returned(draft);
      return;
    }
    const { kind, symbol, reason } = draft;
    const why = reason === undefined ? 0 : this.#numberOfReason(reason);
    if (why > REASONS_MAX || typeof symbol !== 'string' || draft.exits !== undefined) this.returned(draft);
    else if (kind === 'target-weight') this.#note(KINDS.weight, this.#numberOf(symbol), draft.weight, why);
    else if (kind === 'target-quantity' && typeof draft.quantity === 'number')
      this.#note(KINDS.quantity, this.#numberOf(symbol), draft.quantity, why);
    else if (kind === 'order') this.#byHand(draft, why);
    else this.returned(draft);
  }

  #byHand(draft: OrderByHand, reason: number): void {
    const { symbol, quantity, terms } = draft;
    const kind = kindByHand(draft);
    if (kind === KINDS.other || typeof quantity !== 'number') {
      this.returned(draft);
      return;
    }
    const row = this.#noted;
    this.#note(kind, this.#numberOf(symbol), quantity, reason);
    if (terms === undefined) return;
    if (row >= this.#levels.length) this.#levels = longerColumn(this.#levels, this.#kinds.length);
    this.#levels[row] = Number(terms.price ?? terms.triggerPrice);
  }

  /** Records an empty answer to the next question. */
  nothing(): void {
    this.asked += 1;
  }

  /** Records that a hook created drafts and returned none of them. */
  lost(event: CalledHook): void {
    this.#lost[event] += 1;
  }

  unreturned(): readonly UnreturnedDrafts[] {
    return CALLED_HOOKS.flatMap((event) => {
      const calls = this.#lost[event];
      return calls === 0 ? [] : [{ hook: HOOKS[event], calls }];
    });
  }

  /** Records an exception of the hook at the next question, which is the last. */
  threw(thrown: unknown): void {
    this.#thrown = { question: this.asked, thrown };
    this.asked += 1;
  }

  /** Returns a function that reads the answers in order; it throws the recorded exception. */
  reader(): () => Returned {
    let question = 0;
    let next = 0;
    return () => {
      const now = question;
      question += 1;
      if (this.#thrown?.question === now) throw this.#thrown.thrown;
      if (next === this.#noted || this.#questions[next] !== now) return undefined;
      next += 1;
      return this.#read(next - 1);
    };
  }

  #note(kind: number, symbol: number, figure: number, reason: number): void {
    if (this.#noted === this.#questions.length) this.#grow();
    const row = this.#noted;
    this.#questions[row] = this.asked;
    this.#kinds[row] = kind;
    this.#symbols[row] = symbol;
    this.#figures[row] = figure;
    this.#reasons[row] = reason;
    this.#noted = row + 1;
    this.asked += 1;
  }

  /** Linear search: there are few symbols, and answers mostly repeat them. */
  #numberOf(symbol: SecuritySymbol): number {
    const known = this.#names.indexOf(symbol);
    return known >= 0 ? known : this.#names.push(symbol) - 1;
  }

  /** Returns a number above `REASONS_MAX` if no further reason can be interned. */
  #numberOfReason(reason: string): number {
    const known = this.#reasonNumbers.get(reason);
    if (known !== undefined) return known;
    const number = this.#reasonTexts.length;
    if (number > REASONS_MAX) return number;
    this.#reasonNumbers.set(reason, number);
    this.#reasonTexts.push(reason);
    return number;
  }

  #read(row: number): Returned {
    const figure = this.#figures[row] as number;
    const symbol = this.#names[this.#symbols[row] as number];
    const kind = this.#kinds[row];
    if (kind === KINDS.other || symbol === undefined) return this.#others[figure];
    const reason = this.#reasonTexts[this.#reasons[row] as number];
    const why = omitUndefined({ reason });
    switch (kind) {
      case KINDS.weight:
        return { kind: 'target-weight', symbol, weight: figure, ...why };
      case KINDS.quantity:
        return { kind: 'target-quantity', symbol, quantity: figure, ...why };
      default:
        return { ...orderByHand(kind, symbol, figure, this.#levels[row]), ...why };
    }
  }

  #grow(): void {
    const capacity = this.#noted === 0 ? this.#capacity : this.#noted * 2;
    this.#questions = longerColumn(this.#questions, capacity);
    this.#kinds = longerColumn(this.#kinds, capacity);
    this.#symbols = longerColumn(this.#symbols, capacity);
    this.#figures = longerColumn(this.#figures, capacity);
    this.#reasons = longerColumn(this.#reasons, capacity);
  }
}

/** Returns the encoding of an order with whole shares and at most one price; otherwise `other`. */
function kindByHand({ side, terms }: OrderByHand): number {
  if (terms === undefined) return side === 'buy' ? KINDS.buy : KINDS.sell;
  const { type, price, triggerPrice, timeInForce } = terms;
  if (timeInForce !== undefined) return KINDS.other;
  if (type === 'LO' && typeof price === 'number' && triggerPrice === undefined)
    return side === 'buy' ? KINDS.buyLimit : KINDS.sellLimit;
  const isTrigger = type === 'MIT' && typeof triggerPrice === 'number' && price === undefined;
  return isTrigger && side === 'sell' ? KINDS.sellTrigger : KINDS.other;
}

function orderByHand(
  kind: number | undefined,
  symbol: SecuritySymbol,
  quantity: number,
  level = Number.NaN,
): OrderByHand {
  const side = kind === KINDS.buy || kind === KINDS.buyLimit ? 'buy' : 'sell';
  if (kind === KINDS.buy || kind === KINDS.sell) return { kind: 'order', symbol, side, quantity };
  const terms: DraftTerms =
    kind === KINDS.sellTrigger ? { type: 'MIT', triggerPrice: level } : { type: 'LO', price: level };
  return { kind: 'order', symbol, side, quantity, terms };
}

/**
 * Wraps a strategy so that it returns recorded decisions. Its hooks are called for later events only, so never twice
 * for one event.
 */
export function replayDecisions(strategy: Strategy, decisions: DecisionLog): Strategy {
  const read = decisions.reader();
  let asked = 0;
  const answered = (event: StrategyEvent, context: StrategyContext): Returned => {
    asked += 1;
    return asked > decisions.asked ? callHook(strategy, event, context) : read();
  };
  const known = CALLED_HOOKS.map((kind) => HOOKS[kind]).filter((hook) => strategy[hook] !== undefined);
  return { ...strategy, ...Object.fromEntries(known.map((hook) => [hook, answered])) };
}
