import { replayedQuoteFact } from '../execution/quote-fact.ts';
import type { HeldSessions } from '../model/held-sessions.ts';
import type { Period } from '../model/period.ts';
import type { Quote } from '../model/quote.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { QuoteFact } from '../risk/facts.ts';
import type { Simulation } from '../simulation/simulation.ts';

/** Quotes as the gate sees them; a quote that still stands is the same fact as before. */
export function quoteFacts(
  simulation: Simulation,
  period: Period,
  sessions: HeldSessions,
): (symbol: SecuritySymbol) => QuoteFact | undefined {
  const told = new Map<SecuritySymbol, { readonly quote: Quote; readonly fact: QuoteFact }>();
  return (symbol) => {
    const quote = simulation.quote(symbol);
    if (quote === undefined) return undefined;
    const before = told.get(symbol);
    if (before?.quote === quote) return before.fact;
    const fact = replayedQuoteFact(quote, period, sessions);
    told.set(symbol, { quote, fact });
    return fact;
  };
}
