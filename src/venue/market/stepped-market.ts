import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { PushCount, PushCounts } from '../server/push-counts.ts';
import type { Market, MarketState, PublishEvents } from './market.ts';

/**
 * Reports that the bot has finished with the current instant. `timer`: market time of the bot's next timer, undefined
 * for none. `each`: one event per step; `batched`: events up to the timer, until the bot must react.
 */
export interface StepRequest {
  readonly timer: Millis | undefined;
  readonly quotes: 'each' | 'batched';
}

/**
 * The event that came first, and the push frames sent to the bot since its previous step. `timer`: time is at the
 * bot's timer; `end`: no print, event of the venue or timer is left.
 */
export interface StepAnswer {
  readonly time: Millis;
  readonly phase: 'venue' | 'timer' | 'print' | 'end';
  readonly frames: PushCount;
}

/** Quote frames after which a batch ends, so that socket queues stay short. */
const BATCH_FRAMES = 2_000;

/** Events after which a batch ends even without a subscriber, so that the server stays responsive. */
const BATCH_EVENTS = 20_000;

/** A market that advances only when the bot reports that it has finished with the current instant. */
export class SteppedMarket implements Market {
  readonly #simulation: Simulation;
  readonly #publish: PublishEvents;
  readonly #counts: PushCounts;
  readonly #accountId: string;

  constructor(parts: {
    readonly simulation: Simulation;
    readonly publish: PublishEvents;
    readonly counts: PushCounts;
    /** The bot's account, whose frames are counted. */
    readonly accountId: string;
  }) {
    this.#simulation = parts.simulation;
    this.#publish = parts.publish;
    this.#counts = parts.counts;
    this.#accountId = parts.accountId;
  }

  state(): MarketState {
    return { time: this.#simulation.now(), mode: 'stepped' };
  }

  catchUp(): void {}

  reschedule(): void {}

  stop(): void {}

  /**
   * Processes the earliest of the venue's own event, the bot's timer and the next print, in this order at equal
   * times. A timer in the past fires now.
   */
  step(request: StepRequest): StepAnswer {
    const timer = millis(Math.max(request.timer ?? NEVER, this.#simulation.now()));
    let phase = this.#processNext(timer);
    if (request.quotes === 'batched') {
      for (let events = 1; this.#continuesBatch(phase) && events < BATCH_EVENTS; events += 1) {
        const next = this.#processNext(timer);
        if (next === 'end') break;
        phase = next;
      }
    }
    return { time: this.#simulation.now(), phase, frames: this.#counts.take(this.#accountId) };
  }

  #continuesBatch(phase: StepAnswer['phase']): boolean {
    if (phase === 'timer' || phase === 'end') return false;
    const { quote, trade } = this.#counts.pending(this.#accountId);
    return trade === 0 && quote < BATCH_FRAMES;
  }

  #processNext(timer: Millis): StepAnswer['phase'] {
    const simulation = this.#simulation;
    const own = simulation.nextVenueEventAt();
    const print = simulation.nextPrintAt();
    if (own !== NEVER && own <= timer && own <= print) {
      this.#publish(simulation.stepVenueEvent());
      return 'venue';
    }
    if (timer !== NEVER && timer <= print) {
      simulation.moveTo(timer);
      return 'timer';
    }
    if (print === NEVER) return 'end';
    this.#publish(simulation.stepPrint());
    return 'print';
  }
}
