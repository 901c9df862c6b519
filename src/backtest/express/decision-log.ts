import { longerColumn } from '../../events/curve/longer-column.ts';
import type { UnreturnedDrafts } from '../../events/unreturned-drafts.ts';
import { callHook } from '../../hosts/strategy/handle-request.ts';
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
export type HookReturn = HookResult<PlainData | undefined>;

/** Encodings of a returned decision: `other` as it is, the rest as a symbol and one or two numbers. */
const KINDS = {
  ...{ other: 0, weight: 1, quantity: 2 },
  ...{ buy: 3, sell: 4, buyLimit: 5, sellLimit: 6, sellTrigger: 7 },
} as const;
/** Most distinct reasons to intern; drafts with further reasons are stored as they are. */
const REASONS_MAX = 255;

/** Hooks that the express engine calls. */
const CALLED_HOOKS = ['bar', 'bars', 'signal', 'fill', 'timer', 'order', 'start'] as const;
export type CalledHook = (typeof CALLED_HOOKS)[number];

/**
 * What the hooks of a strategy returned in a run. Empty results, which are the most frequent, take no memory.
 */
export class DecisionLog {
  /** Number of finished hook calls. */
  finishedCalls = 0;
  /** Number of started hook calls. */
  #startedCalls = 0;
  #rows = 0;
  readonly #unreturned = { bar: 0, bars: 0, signal: 0, fill: 0, timer: 0, order: 0, start: 0 };
  #calls = new Uint32Array(0);
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
  readonly #others: HookReturn[] = [];
  #thrown: { readonly call: number; readonly thrown: unknown } | undefined;

  /** `capacity` is the initial number of rows, allocated with the first decision. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Begins the next hook call; exceptions before its result are the strategy's. */
  beginCall(): void {
    this.#startedCalls = this.finishedCalls + 1;
  }

  /** Whether a hook call has started and not finished. */
  get isInCall(): boolean {
    return this.#startedCalls > this.finishedCalls;
  }

  /** Records the result of the current call. */
  recordReturn(decision: HookReturn): void {
    this.#append(KINDS.other, 0, this.#others.length, 0);
    this.#others.push(decision);
  }

  /** Records a result that is a single draft, which must be a private copy. */
  recordDraft(draft: SupportedDraft): void {
    if (draft.kind === 'slices' || draft.kind === 'rebalance') {
      this.recordReturn(draft);
      return;
    }
    const { kind, symbol, reason } = draft;
    const why = reason === undefined ? 0 : this.#numberOfReason(reason);
    if (why > REASONS_MAX || typeof symbol !== 'string' || draft.exits !== undefined)
      this.recordReturn(draft);
    else if (kind === 'target-weight') this.#append(KINDS.weight, this.#numberOf(symbol), draft.weight, why);
    else if (kind === 'target-quantity' && typeof draft.quantity === 'number')
      this.#append(KINDS.quantity, this.#numberOf(symbol), draft.quantity, why);
    else if (kind === 'order') this.#recordOrder(draft, why);
    else this.recordReturn(draft);
  }

  #recordOrder(draft: OrderByHand, reason: number): void {
    const { symbol, quantity, terms } = draft;
    const kind = encodingOf(draft);
    if (kind === KINDS.other || typeof quantity !== 'number') {
      this.recordReturn(draft);
      return;
    }
    const row = this.#rows;
    this.#append(kind, this.#numberOf(symbol), quantity, reason);
    if (terms === undefined) return;
    if (row >= this.#levels.length) this.#levels = longerColumn(this.#levels, this.#kinds.length);
    this.#levels[row] = Number(terms.price ?? terms.triggerPrice);
  }

  /** Records an empty result of the current call. */
  recordEmpty(): void {
    this.finishedCalls += 1;
  }

  /** Records that a hook created drafts and returned none of them. */
  recordUnreturned(event: CalledHook): void {
    this.#unreturned[event] += 1;
  }

  unreturned(): readonly UnreturnedDrafts[] {
    return CALLED_HOOKS.flatMap((event) => {
      const calls = this.#unreturned[event];
      return calls === 0 ? [] : [{ hook: HOOKS[event], calls }];
    });
  }

  /** Records an exception of the hook in the current call, which is the last. */
  recordThrown(thrown: unknown): void {
    this.#thrown = { call: this.finishedCalls, thrown };
    this.finishedCalls += 1;
  }

  /** Returns a function that reads the results in order; it throws the recorded exception. */
  reader(): () => HookReturn {
    let nextCall = 0;
    let next = 0;
    return () => {
      const call = nextCall;
      nextCall += 1;
      if (this.#thrown?.call === call) throw this.#thrown.thrown;
      if (next === this.#rows || this.#calls[next] !== call) return undefined;
      next += 1;
      return this.#read(next - 1);
    };
  }

  #append(kind: number, symbol: number, figure: number, reason: number): void {
    if (this.#rows === this.#calls.length) this.#grow();
    const row = this.#rows;
    this.#calls[row] = this.finishedCalls;
    this.#kinds[row] = kind;
    this.#symbols[row] = symbol;
    this.#figures[row] = figure;
    this.#reasons[row] = reason;
    this.#rows = row + 1;
    this.finishedCalls += 1;
  }

  /** Linear search: there are few symbols, and decisions mostly repeat them. */
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

  #read(row: number): HookReturn {
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
        return { ...decodeOrder(kind, symbol, figure, this.#levels[row]), ...why };
    }
  }

  #grow(): void {
    const capacity = this.#rows === 0 ? this.#capacity : this.#rows * 2;
    this.#calls = longerColumn(this.#calls, capacity);
    this.#kinds = longerColumn(this.#kinds, capacity);
    this.#symbols = longerColumn(this.#symbols, capacity);
    this.#figures = longerColumn(this.#figures, capacity);
    this.#reasons = longerColumn(this.#reasons, capacity);
  }
}

/** Returns the encoding of an order with whole shares and at most one price; otherwise `other`. */
function encodingOf({ side, terms }: OrderByHand): number {
  if (terms === undefined) return side === 'buy' ? KINDS.buy : KINDS.sell;
  const { type, price, triggerPrice, timeInForce } = terms;
  if (timeInForce !== undefined) return KINDS.other;
  if (type === 'LO' && typeof price === 'number' && triggerPrice === undefined)
    return side === 'buy' ? KINDS.buyLimit : KINDS.sellLimit;
  const isTrigger = type === 'MIT' && typeof triggerPrice === 'number' && price === undefined;
  return isTrigger && side === 'sell' ? KINDS.sellTrigger : KINDS.other;
}

function decodeOrder(
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
  const hook = (event: StrategyEvent, context: StrategyContext): HookReturn => {
    asked += 1;
    return asked > decisions.finishedCalls ? callHook(strategy, event, context) : read();
  };
  const known = CALLED_HOOKS.map((kind) => HOOKS[kind]).filter((hook) => strategy[hook] !== undefined);
  return { ...strategy, ...Object.fromEntries(known.map((name) => [name, hook])) };
}
