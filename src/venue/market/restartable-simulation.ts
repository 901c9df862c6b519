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

  restart(fresh: Simulation): void {
    this.#inner = fresh;
    this.#steps = 0;
  }

  /** Processes the next event; the venue's own events precede prints of the same time. Throws if there is none. */
  stepNext(): readonly SimulationEvent[] {
    return this.nextVenueEventAt() <= this.nextPrintAt() ? this.stepVenueEvent() : this.stepPrint();
  }

  stepVenueEvent(): readonly SimulationEvent[] {
    this.#steps += 1;
    return this.#inner.stepVenueEvent();
  }

  stepPrint(): readonly SimulationEvent[] {
    this.#steps += 1;
    const events = this.#inner.stepPrint();
    return this.#hours === 'always' ? events.map(regularEvent) : events;
  }

  now(): Millis {
    return this.#inner.now();
  }

  nextVenueEventAt(): Millis {
    return this.#inner.nextVenueEventAt();
  }

  nextPrintAt(): Millis {
    return this.#inner.nextPrintAt();
  }

  moveTo(at: Millis): void {
    this.#inner.moveTo(at);
  }

  inject(what: ExogenousEvent, at?: Millis): readonly SimulationEvent[] {
    return this.#inner.inject(what, at);
  }

  append(tick: Tick): boolean {
    return this.#inner.append(tick);
  }

  invalidatePrices(): void {
    this.#inner.invalidatePrices();
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

  latestTrade(symbol: SecuritySymbol): ReturnType<Simulation['latestTrade']> {
    return this.#inner.latestTrade(symbol);
  }

  tradedSince(symbol: SecuritySymbol, from: Millis): ReturnType<Simulation['tradedSince']> {
    return this.#inner.tradedSince(symbol, from);
  }

  tradingDay(market: string): CalendarDay {
    return this.#inner.tradingDay(market);
  }
}

function regularEvent(event: SimulationEvent): SimulationEvent {
  return event.kind === 'quote' ? { ...event, quote: { ...event.quote, session: 'regular' } } : event;
}
