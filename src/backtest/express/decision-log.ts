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

/** What a hook returned, of whatever kind. */
export type Returned = HookResult<PlainData | undefined>;

/** How an answer is kept: as it is, or as a symbol and one or two figures. */
const KINDS = {
  ...{ other: 0, weight: 1, quantity: 2 },
  ...{ buy: 3, sell: 4, buyLimit: 5, sellLimit: 6, sellTrigger: 7 },
} as const;
/** Texts of reasons that are kept once each; a strategy that makes up more of them has its drafts kept as they are. */
const REASONS_MAX = 255;

/** The hooks that express runs call. */
const CALLED_HOOKS = ['bar', 'bars', 'signal', 'fill', 'timer'] as const;
export type CalledHook = (typeof CALLED_HOOKS)[number];

/** What a strategy answered to the first questions of a run; most answers are nothing, and take no memory. */
export class DecisionLog {
  /** Questions asked so far. */
  asked = 0;
  /** Number of the question that was begun last. */
  #begun = 0;
  #noted = 0;
  readonly #lost = { bar: 0, bars: 0, signal: 0, fill: 0, timer: 0 };
  #questions = new Uint32Array(0);
  // Drafts that are no more than a symbol, a number or two and a usual reason are kept as numbers: most runs return nothing else.
  #kinds = new Uint8Array(0);
  #symbols = new Uint32Array(0);
  #figures = new Float64Array(0);
  /** Limits and triggers; as long as the others once an order has had one. */
  #levels = new Float64Array(0);
  #reasons = new Uint8Array(0);
  readonly #capacity: number;
  readonly #names: SecuritySymbol[] = [];
  /** Each reason's number, from 1 on: 0 is none. */
  readonly #reasonNumbers = new Map<string, number>();
  readonly #reasonTexts: (string | undefined)[] = [undefined];
  readonly #others: Returned[] = [];
  #thrown: { readonly question: number; readonly thrown: unknown } | undefined;

  /** Has capacity for so many rows from the first on; of a strategy that is not asked nothing is kept. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Begins the next question; what is thrown before it is answered is the strategy's. */
  ask(): void {
    this.#begun = this.asked + 1;
  }

  /** Whether the question that was begun last is still to be answered. */
  get isAsking(): boolean {
    return this.#begun > this.asked;
  }

  /** Notes what the next question was answered with. */
  returned(decision: Returned): void {
    this.#note(KINDS.other, 0, this.#others.length, 0);
    this.#others.push(decision);
  }

  /** The same for a single draft, as a private copy. */
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

  /** Notes that the next question was answered with nothing. */
  nothing(): void {
    this.asked += 1;
  }

  /** Notes that a hook made drafts and returned none of them. */
  lost(event: CalledHook): void {
    this.#lost[event] += 1;
  }

  /** Hooks that made drafts and returned nothing. */
  unreturned(): readonly UnreturnedDrafts[] {
    return CALLED_HOOKS.flatMap((event) => {
      const calls = this.#lost[event];
      return calls === 0 ? [] : [{ hook: HOOKS[event], calls }];
    });
  }

  /** Notes what the hook threw at the next question; no question comes after it. */
  threw(thrown: unknown): void {
    this.#thrown = { question: this.asked, thrown };
    this.asked += 1;
  }

  /** Reads the answers to the questions in turn; each throws what the hook threw. */
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

  /** There are few symbols, and answers mostly name the one before again. */
  #numberOf(symbol: SecuritySymbol): number {
    const known = this.#names.indexOf(symbol);
    return known >= 0 ? known : this.#names.push(symbol) - 1;
  }

  /** Beyond `REASONS_MAX` for one more than are kept. */
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

/** Of an order that is no more than whole shares and at most one level; else it is kept as it is. */
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
 * The same strategy, with the decisions that it returned already: no hook is called twice for one event, so its own state
 * is updated once. Its hooks are called for later events.
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
