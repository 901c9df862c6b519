import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CalendarDay, Millis } from '../../model/time.ts';
import type { Tick } from '../../simulation/market/live-columns.ts';
import type { ExogenousEvent } from '../../simulation/processes/exogenous-events.ts';
import type { SimulatedAccount, Simulation, SimulationEvent } from '../../simulation/simulation.ts';
import type { MarketHours } from '../venue-options.ts';

/**
 * The simulation that the venue drives. It counts steps, so that requests can be replayed between the same steps, and
 * can be replaced by a new one.
 */
export class RestartableSimulation implements Simulation {
  #inner: Simulation;
  #steps = 0;
  readonly #hours: MarketHours;

  /** With hours `always`, every session is reported as regular. */
  constructor(inner: Simulation, hours: MarketHours) {
    this.#inner = inner;
    this.#hours = hours;
  }

  /** Steps since the start. Equal steps with equal requests between them produce equal state. */
  get steps(): number {
    return this.#steps;
  }

  beginAnew(fresh: Simulation): void {
    this.#inner = fresh;
    this.#steps = 0;
  }

  /** Processes the next event; the venue's own events precede prints of the same time. Throws if there is none. */
  stepNext(): readonly SimulationEvent[] {
    return this.nextOwnAt() <= this.nextPrintAt() ? this.stepOwn() : this.stepPrint();
  }

  stepOwn(): readonly SimulationEvent[] {
    this.#steps += 1;
    return this.#inner.stepOwn();
  }

  stepPrint(): readonly SimulationEvent[] {
    this.#steps += 1;
    const events = this.#inner.stepPrint();
    return this.#hours === 'always' ? events.map(regularEvent) : events;
  }

  now(): Millis {
    return this.#inner.now();
  }

  nextOwnAt(): Millis {
    return this.#inner.nextOwnAt();
  }

  nextPrintAt(): Millis {
    return this.#inner.nextPrintAt();
  }

  moveTo(at: Millis): void {
    this.#inner.moveTo(at);
  }

  interfere(what: ExogenousEvent, at?: Millis): readonly SimulationEvent[] {
    return this.#inner.interfere(what, at);
  }

  append(tick: Tick): boolean {
    return this.#inner.append(tick);
  }

  fallSilent(): void {
    this.#inner.fallSilent();
  }

  account(id: string): SimulatedAccount | undefined {
    return this.#inner.account(id);
  }

  securities(): readonly Security[] {
    return this.#inner.securities();
  }

  security(symbol: SecuritySymbol): Security | undefined {
    return this.#inner.security(symbol);
  }

  marginFactors(symbol: SecuritySymbol): ReturnType<Simulation['marginFactors']> {
    return this.#inner.marginFactors(symbol);
  }

  quote(symbol: SecuritySymbol): ReturnType<Simulation['quote']> {
    const quote = this.#inner.quote(symbol);
    return quote === undefined || this.#hours === 'calendar' ? quote : { ...quote, session: 'regular' };
  }

  latest(symbol: SecuritySymbol): ReturnType<Simulation['latest']> {
    return this.#inner.latest(symbol);
  }

  traded(symbol: SecuritySymbol, from: Millis): ReturnType<Simulation['traded']> {
    return this.#inner.traded(symbol, from);
  }

  tradingDay(market: string): CalendarDay {
    return this.#inner.tradingDay(market);
  }
}

function regularEvent(event: SimulationEvent): SimulationEvent {
  return event.kind === 'quote' ? { ...event, quote: { ...event.quote, session: 'regular' } } : event;
}
