import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { decimal } from '#src/model/decimal.ts';
import type { OrderTerms } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { createSimulation } from '#src/simulation/create-simulation.ts';
import { CASH_ACCOUNT, NO_LATENCY, PRINT_FILLS } from '#src/simulation/models.ts';
import type { SimulatedAccount, Simulation, SimulationEvent } from '#src/simulation/simulation.ts';
import { deepBook } from '#src/venue/quotes/order-book.ts';
import { syntheticMarket } from '#src/venue/synthetic/synthetic-market.ts';
import { at } from './rising-minutes.ts';

/** Thursday, 5 March 2026, in the US session. */
export const LIVING_START = at('2026-03-05T15:17:30Z');

/** The synthetic market of `sluice venue`, in simulated time. */
export function livingSimulation(
  hours: 'always' | 'real' = 'always',
  start = LIVING_START,
  market = syntheticMarket({ seed: 11, hours, start, daysAhead: 2 }),
): Simulation {
  return createSimulation({
    ...{ securities: market.securities, bars: market.minutes, start, seed: 3, quotes: true },
    ...{ book: deepBook, tradesBetween: 4 },
    accounts: [
      {
        ...{ id: 'paper', currency: 'USD' },
        cash: { USD: decimal('100000'), HKD: decimal('100000000') },
        fx: { USDHKD: decimal('7.80') },
      },
    ],
    models: {
      fills: { ...PRINT_FILLS, hours: hours === 'always' ? 'bars' : 'calendar', participation: 1 },
      ...{ charges: CHARGE_SCHEDULES.none, latency: NO_LATENCY, margin: CASH_ACCOUNT },
    },
  });
}

/** Advances by this number of milliseconds and returns the events. */
export function during(simulation: Simulation, ms: number): readonly SimulationEvent[] {
  const until = millis(simulation.now() + ms);
  const events: SimulationEvent[] = [];
  for (;;) {
    const [own, print] = [simulation.nextVenueEventAt(), simulation.nextPrintAt()];
    if (Math.min(own, print) > until) break;
    events.push(...(own <= print ? simulation.stepVenueEvent() : simulation.stepPrint()));
  }
  simulation.moveTo(until);
  return events;
}

export function paper(simulation: Simulation): SimulatedAccount {
  const account = simulation.account('paper');
  if (account === undefined) throw new Error('no account');
  return account;
}

export function terms(
  symbol: string,
  type: OrderTerms['type'],
  side: OrderTerms['side'],
  quantity: number,
  figures: Partial<OrderTerms> = {},
): OrderTerms {
  return {
    ...{ symbol: securitySymbol(symbol), type, side, quantity: decimal(String(quantity)) },
    timeInForce: 'day',
    ...figures,
  };
}
