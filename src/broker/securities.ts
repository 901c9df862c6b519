import { concatMap, from, map, type Observable, toArray } from 'rxjs';
import { Decimal } from '../model/decimal.ts';
import { OPTION_MULTIPLIER } from '../model/option-symbol.ts';
import type { MarginFactors, Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Broker } from '../ports/broker.ts';
import type { QuoteCommands } from '../wire/commands.ts';
import { readStaticInfo, type StaticFacts } from '../wire/mapper/security.ts';
import { chunked } from './chunked.ts';
import type { AskSocket } from './command-call.ts';

/** What security facts are read with. */
export interface SecurityParts {
  readonly ask: AskSocket;
  readonly commands: QuoteCommands;
  readonly marginFactors: Broker['marginFactors'];
  /** Host that the facts came from, named as their source. */
  readonly source: string;
}

/** Where the venue names no factors, nothing may be bought on credit. */
const NO_CREDIT: MarginFactors = {
  initial: new Decimal(1),
  maintenance: new Decimal(1),
  forced: new Decimal(1),
};

/**
 * Reads static info (10), and the margin ratio of each symbol over HTTP, one call after the other. The wire knows neither
 * the finer kind nor the origin of prices: what its board does not give away is taken for a stock, an index does not
 * trade, and prices count as real ones of the venue. Unknown symbols are left out. Emits once.
 */
export function readSecurities(
  symbols: readonly SecuritySymbol[],
  { ask, commands, marginFactors, source }: SecurityParts,
): Observable<readonly Security[]> {
  return from(chunked(symbols)).pipe(
    concatMap((symbol) => ask(commands.staticInfo, { symbol: [...symbol] })),
    concatMap((answer) => answer.secuStaticInfo.map(readStaticInfo)),
    concatMap((facts) =>
      marginFactors(facts.symbol).pipe(
        map((answer) => securityOf(facts, answer.kind === 'ok' ? answer.value : NO_CREDIT, source)),
      ),
    ),
    toArray(),
  );
}

function securityOf(facts: StaticFacts, margin: MarginFactors, source: string): Security {
  const kind = facts.kind ?? 'stock';
  const origin = { kind: 'real', source, license: 'The terms of the broker' } as const;
  const contract = kind === 'option' ? { multiplier: OPTION_MULTIPLIER } : {};
  return { ...facts, ...contract, kind, margin, tradable: kind !== 'index', origin };
}
