import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { Market, MarketState, PublishEvents } from './market.ts';

/** Maximum number of events processed at once, so that requests are still served. */
const EVENTS_PER_CATCH_UP_MAX = 2_000;

/** A market that runs on the machine's clock at `speed` times its pace. */
export class RunningMarket implements Market {
  readonly #simulation: Simulation;
  readonly #publish: PublishEvents;
  readonly #machine: Clock;
  readonly #mode: 'scaled' | 'wall';
  readonly #speed: number;
  readonly #marketStart: Millis;
  readonly #machineStart: Millis;
  #cancel: Cancel = () => {};
  #plannedFor: Millis = NEVER;
  #stopped = false;

  constructor(parts: {
    readonly simulation: Simulation;
    readonly publish: PublishEvents;
    readonly machine: Clock;
    readonly mode: 'scaled' | 'wall';
    readonly speed: number;
    /** Whether market time continues from the simulation's time, or is the machine's time. */
    readonly from: 'simulation' | 'machine';
  }) {
    this.#simulation = parts.simulation;
    this.#publish = parts.publish;
    this.#machine = parts.machine;
    this.#mode = parts.mode;
    this.#speed = parts.speed;
    this.#machineStart = parts.machine.now();
    this.#marketStart = parts.from === 'machine' ? this.#machineStart : parts.simulation.now();
    this.reschedule();
  }

  state(): MarketState {
    this.catchUp();
    return { time: this.#simulation.now(), mode: this.#mode, speed: this.#speed };
  }

  catchUp(): void {
    const simulation = this.#simulation;
    const target = this.#marketNow();
    for (let events = 0; events < EVENTS_PER_CATCH_UP_MAX; events += 1) {
      const own = simulation.nextVenueEventAt();
      const print = simulation.nextPrintAt();
      if (Math.min(own, print) > target) {
        if (target > simulation.now()) simulation.moveTo(target);
        return;
      }
      this.#publish(own <= print ? simulation.stepVenueEvent() : simulation.stepPrint());
    }
  }

  reschedule(): void {
    const next = millis(Math.min(this.#simulation.nextVenueEventAt(), this.#simulation.nextPrintAt()));
    if (this.#stopped || next === this.#plannedFor) return;
    this.#cancel();
    this.#plannedFor = next;
    if (next === NEVER) return;
    const due = this.#machineStart + Math.ceil((next - this.#marketStart) / this.#speed);
    this.#cancel = this.#machine.at(millis(Math.max(due, this.#machine.now())), 'venue', () => this.#tick());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #tick(): void {
    this.#plannedFor = NEVER;
    this.catchUp();
    this.reschedule();
  }

  #marketNow(): Millis {
    return millis(this.#marketStart + Math.floor((this.#machine.now() - this.#machineStart) * this.#speed));
  }
}
