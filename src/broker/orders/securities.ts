import { concatMap, from, map, type Observable, toArray } from 'rxjs';
import { Decimal } from '../../model/decimal.ts';
import { OPTION_MULTIPLIER } from '../../model/option-symbol.ts';
import type { DataOrigin, MarginFactors, Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Broker } from '../../ports/broker.ts';
import { toObservable } from '../../ports/to-observable.ts';
import { PROVENANCE_COMMAND, type QuoteCommands } from '../../wire/commands.ts';
import { readFractionalLot, readProvenance } from '../../wire/mapper/provenance.ts';
import { readStaticInfo, type StaticFacts } from '../../wire/mapper/security.ts';
import { chunked } from '../quotes/chunked.ts';
import type { SocketCall } from '../socket/command-call.ts';

/** Dependencies of reading the origin of prices. */
export interface OriginParts {
  readonly call: SocketCall;
  /** Address of the quote socket, from which the prices come. */
  readonly address: URL;
}

/** Dependencies of reading security facts. */
export interface SecurityParts extends OriginParts {
  readonly commands: QuoteCommands;
  readonly marginFactors: Broker['marginFactors'];
}

/** Without margin factors from the venue, nothing may be bought on credit. */
const NO_CREDIT: MarginFactors = {
  initial: new Decimal(1),
  maintenance: new Decimal(1),
  forced: new Decimal(1),
};

/**
 * Domains of brokers whose quotes are those of the exchanges; TLS proves their identity. @see
 * https://open.longbridge.com/docs
 */
const BROKER_DOMAINS = ['longbridge.com', 'longbridge.cn', 'longportapp.com', 'longportapp.cn'];

/**
 * Returns the origin of a venue's prices by symbol: as stated in its static info (10), as by the embedded venue; real
 * if the quote socket is that of a known broker; otherwise unknown. Unlisted symbols are omitted. Emits once.
 */
export function readOrigins(
  symbols: readonly SecuritySymbol[],
  { call, address }: OriginParts,
): Observable<ReadonlyMap<string, DataOrigin>> {
  return readStated(symbols, { call, address }).pipe(
    map((stated) => new Map([...stated].map(([symbol, { origin }]) => [symbol, origin]))),
  );
}

/** What a venue states about a security beyond the broker's static info. */
interface Stated {
  readonly origin: DataOrigin;
  /** Smallest quantity step, if it is below one share. */
  readonly lotSize: number | undefined;
}

function readStated(
  symbols: readonly SecuritySymbol[],
  { call, address }: OriginParts,
): Observable<ReadonlyMap<string, Stated>> {
  const unstated = unstatedOrigin(address);
  return from(chunked(symbols)).pipe(
    concatMap((symbol) => call(PROVENANCE_COMMAND, { symbol: [...symbol] })),
    concatMap(({ secuStaticInfo }) => secuStaticInfo),
    map(({ symbol, provenance, lotSize }): [string, Stated] => [
      symbol,
      { origin: readProvenance(provenance) ?? unstated, lotSize: readFractionalLot(lotSize) },
    ]),
    toArray(),
    map((stated) => new Map(stated)),
  );
}

/** The origin of prices at an address that does not state it. */
function unstatedOrigin({ protocol, hostname, host }: URL): DataOrigin {
  const isBroker =
    protocol === 'wss:' &&
    BROKER_DOMAINS.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
  return isBroker
    ? { kind: 'real', source: host, license: 'The terms of the broker' }
    : { kind: 'unknown', source: host };
}

/**
 * Reads static info (10), the origin of prices, and the margin ratio of each symbol over HTTP, one call after the
 * other. The wire does not have the exact kind: a security counts as a stock unless its board shows otherwise, and an
 * index is not tradable. Unknown symbols are omitted. Emits once.
 */
export function readSecurities(
  symbols: readonly SecuritySymbol[],
  parts: SecurityParts,
): Observable<readonly Security[]> {
  const { call, commands, marginFactors } = parts;
  const unstated = unstatedOrigin(parts.address);
  return readStated(symbols, parts).pipe(
    concatMap((stated) =>
      from(chunked(symbols)).pipe(
        concatMap((symbol) => call(commands.staticInfo, { symbol: [...symbol] })),
        concatMap((answer) => answer.secuStaticInfo.map(readStaticInfo)),
        concatMap((facts) =>
          toObservable(marginFactors(facts.symbol)).pipe(
            map((answer) => ({
              ...securityOf(facts, answer.kind === 'ok' ? answer.value : NO_CREDIT),
              origin: stated.get(facts.symbol)?.origin ?? unstated,
              lotSize: stated.get(facts.symbol)?.lotSize ?? facts.lotSize,
            })),
          ),
        ),
      ),
    ),
    toArray(),
  );
}

function securityOf(facts: StaticFacts, margin: MarginFactors): Omit<Security, 'origin'> {
  const kind = facts.kind ?? 'stock';
  const contract = kind === 'option' ? { multiplier: OPTION_MULTIPLIER } : {};
  return { ...facts, ...contract, kind, margin, tradable: kind !== 'index' };
}
