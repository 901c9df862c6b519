import { EMPTY, of } from 'rxjs';
import type { BotState } from '#src/events/bot-state.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold, type Fold } from '#src/events/fold.ts';
import { createGate, type Gate, type GateParts, type GateSources } from '#src/execution/gate/gate.ts';
import { createRestrictions } from '#src/execution/gate/restrictions.ts';
import { createRecorder } from '#src/execution/recorder.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import type { OrderIntent } from '#src/model/order.ts';
import type { Millis } from '#src/model/time.ts';
import type { Broker } from '#src/ports/broker.ts';
import type { RuleHost } from '#src/ports/rule-host.ts';
import type { QuoteFact } from '#src/risk/facts.ts';
import type { GateTransition, GateTransitionResult } from '#src/risk/gate-state.ts';
import type { RiskLimits } from '#src/risk/limits.ts';
import type { Verdict } from '#src/risk/risk-gate.ts';
import { factSourcesOf } from '../fixtures/fact-sources.ts';
import { createFakeVenue, type FakeVenue } from '../fixtures/fake-venue.ts';
import { at } from '../fixtures/market.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { only } from '../fixtures/tasks.ts';

/** A Tuesday morning in New York, half an hour after the open. */
export const MORNING = at('2024-03-05T10:00:00-05:00');

/** A gate on a fake venue and an in-memory journal, at a time that a test sets. */
export interface GateRig {
  readonly gate: Gate;
  readonly venue: FakeVenue;
  readonly fold: Fold;
  readonly state: BotState;
  readonly events: readonly SluiceEvent[];
  /** State that the test changes. */
  readonly world: { now: Millis; quote: QuoteFact | undefined };
  /** Symbols whose quote was pulled. */
  readonly pulled: string[];
  judge(intent: OrderIntent): Verdict;
  resume(transition: GateTransition): GateTransitionResult | undefined;
}

export interface GateRigOptions {
  readonly limits?: Partial<RiskLimits>;
  readonly pushComplete?: boolean;
  readonly sources?: Partial<GateSources>;
  /** Answers of the venue that replace the fake's. */
  readonly broker?: Partial<Broker>;
  /** The last result of the reconciliation; none runs if absent. */
  readonly books?: GateParts['books'];
  /** Calls are not counted if absent. */
  readonly budget?: GateParts['budget'];
  /** Custom rules; none if absent. */
  readonly rules?: RuleHost;
  /** Called when a quote is pulled; by default a pull has no result. */
  readonly pull?: (rig: Pick<GateRig, 'world'>) => void;
}

/** AAPL.US at 10 USD, 10,000 USD in cash, wide limits. */
export function createGateRig(options: GateRigOptions = {}): GateRig {
  const venue = createFakeVenue(options.pushComplete ?? true);
  const fold = createFold();
  const events: SluiceEvent[] = [];
  const pulled: string[] = [];
  const world: GateRig['world'] = { now: MORNING, quote: { value: decimal('10'), at: MORNING } };
  const recorder = createRecorder(createMemoryJournal(), fold, (event) => events.push(event));
  const sources: GateSources = {
    ...factSourcesOf(fold.state, {
      broker: { ...venue.broker, ...options.broker },
      now: () => world.now,
      reference: () => world.quote,
      closeBefore: () => decimal('10'),
    }),
    pullQuote: (symbol) => {
      pulled.push(symbol);
      options.pull?.({ world });
      return EMPTY;
    },
    ...options.sources,
  };
  const { books, budget, rules } = options;
  const limits = limitsOf(options.limits);
  const restrictions = createRestrictions({ recorder, clock: { now: () => world.now } });
  const gate = createGate({
    sources,
    recorder,
    restrictions,
    limits,
    rules,
    budget,
    ...(books && { books }),
  });
  return {
    gate,
    venue,
    fold,
    state: fold.state,
    events,
    world,
    pulled,
    judge: (intent) => only(gate.judge(intent)),
    resume: (transition) => only(gate.resume(transition, restrictions.seen())),
  };
}

/** The answer of a venue with a value that a test sets. */
export const answered = <T>(value: T) => of({ kind: 'ok' as const, value });
