import { Observable, type Subscriber } from 'rxjs';
import type { BotState, TrackedOrder } from '../events/bot-state.ts';
import type { GateMoved, SluiceEvent } from '../events/event.ts';
import type { Holding } from '../events/portfolio.ts';
import type { RunRecord } from '../events/run-record.ts';
import { dayEnds, nextOpen } from '../markets/sessions.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { IntentId, OrderTerms } from '../model/order.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { DAY_MS, MINUTE_MS, type Millis, millis } from '../model/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { CommandOutcome, OperatorCommand, OperatorRequest } from '../ports/operator.ts';

/** The operator of a bot, simulated in a backtest. */
export interface SimulatedOperator {
  /** Commands to the bot, on the same channel as a real operator's. */
  readonly requests$: Observable<OperatorRequest>;
  /** Observes a stopped gate and denied exits. */
  handleEvent(event: SluiceEvent): void;
  /** Observes that the gate's state denied an order. */
  handleDenial(terms: Pick<OrderTerms, 'symbol' | 'side'>): void;
  /** Gate stops by a rule, oldest first. */
  readonly stops: readonly GateMoved[];
}

/** The part of the bot's state that a simulated operator observes. */
export interface OperatorsView {
  readonly gate: Pick<BotState['gate'], 'standing'>;
  readonly portfolio: { readonly holdings: ReadonlyMap<SecuritySymbol, Pick<Holding, 'quantity'>> };
  /** Orders that may still be executed. */
  readonly live: { values(): Iterable<Pick<TrackedOrder, 'terms'>> };
  order(intentId: IntentId): Pick<TrackedOrder, 'terms'> | undefined;
}

interface SimulatedOperatorParts {
  readonly clock: Clock;
  /** The bot's state at the current event. */
  readonly state: () => OperatorsView;
  readonly symbols: readonly SecuritySymbol[];
  /** The operator does nothing after this time. */
  readonly until: Millis;
}

const OPERATOR_NAME = 'operator assumed by the backtest';

/**
 * Creates an operator that acts after a rule has stopped the gate: closes at the next print each position whose exit
 * was denied or, in a kill, cancelled, and resumes before the next trading day of all markets. Retries a refused
 * resume one minute after the next opening, then at doubled intervals of at most a day.
 */
export function createSimulatedOperator({
  clock,
  state,
  symbols,
  until,
}: SimulatedOperatorParts): SimulatedOperator {
  const stops: GateMoved[] = [];
  const flattening = new Set<SecuritySymbol>();
  let requests: Subscriber<OperatorRequest> | undefined;

  function sendCommand(
    command: OperatorCommand,
    reason: string,
    answer?: (outcome: CommandOutcome) => void,
  ): void {
    requests?.next({ command, by: OPERATOR_NAME, reason, ...omitUndefined({ answer }) });
  }

  function schedule(at: Millis, action: () => void): void {
    if (at < until) clock.at(at, 'timer', action);
  }

  function scheduleFlatten(symbol: SecuritySymbol): void {
    if (flattening.has(symbol)) return;
    flattening.add(symbol);
    schedule(millis(Math.max(clock.now(), nextOpen(marketOf(symbol), clock.now()))), () =>
      sendCommand({ kind: 'flatten', symbols: [symbol] }, 'its exit was stopped with the gate'),
    );
  }

  function resume(reason: string, waitMs: number): void {
    if (state().gate.standing.state === 'active') return;
    sendCommand({ kind: 'resume' }, reason, (outcome) => {
      if (outcome.kind === 'done') return;
      const opening = Math.min(...symbols.map((symbol) => nextOpen(marketOf(symbol), clock.now())));
      const from = waitMs === MINUTE_MS ? Math.max(opening, clock.now()) : clock.now();
      schedule(millis(from + waitMs), () => resume(reason, Math.min(2 * waitMs, DAY_MS)));
    });
  }

  function handleStop(event: GateMoved): void {
    stops.push(event);
    flattening.clear();
    if (event.state === 'killed') for (const symbol of positionsWithExits(state())) scheduleFlatten(symbol);
    const reason = `looked at after ${event.rule}: ${event.reason}`;
    schedule(endOfDay(symbols, clock.now()), () => resume(reason, MINUTE_MS));
  }

  function handleDenial({ symbol, side }: Pick<OrderTerms, 'symbol' | 'side'>): void {
    const held = state().portfolio.holdings.get(symbol)?.quantity;
    if (held?.gt(0) === (side === 'sell')) scheduleFlatten(symbol);
  }

  return {
    stops,
    handleDenial,
    requests$: new Observable((subscriber) => {
      requests = subscriber;
      return () => {
        requests = undefined;
      };
    }),
    handleEvent(event) {
      if (event.kind === 'gate-moved' && event.by === 'gate' && event.state !== 'active') handleStop(event);
      if (event.kind !== 'intent-denied' || event.rule !== 'gate-state') return;
      const terms = state().order(event.intentId)?.terms;
      if (terms !== undefined) handleDenial(terms);
    },
  };
}

/** Returns the report's remarks on the simulated operator; empty if it was not needed. */
export function simulatedOperatorTexts({ stops = [] }: Pick<RunRecord, 'stops'>): readonly string[] {
  const count = stops.length;
  if (count === 0) return [];
  return [
    `After a risk limit stopped the gate (${count === 1 ? 'once' : `${count} times`} here) an operator is assumed, who closes at the next print what the strategy could not and resumes before the next trading day; live and on paper a person has to ("simulation: { operator: absent }" leaves it stopped)`,
  ];
}

/** Returns positions with an open order that would reduce them, which a kill cancels. */
function positionsWithExits({ portfolio, live }: OperatorsView): readonly SecuritySymbol[] {
  const exits = new Set([...live.values()].map(({ terms }) => `${terms.side} ${terms.symbol}`));
  return [...portfolio.holdings]
    .filter(([symbol, { quantity }]) => exits.has(`${quantity.gt(0) ? 'sell' : 'buy'} ${symbol}`))
    .map(([symbol]) => symbol);
}

/** Returns the latest end of the current day among the exchanges. */
function endOfDay(symbols: readonly SecuritySymbol[], now: Millis): Millis {
  return millis(Math.max(...symbols.map((symbol) => dayEnds(marketOf(symbol), now))));
}
