import { createRequire } from 'node:module';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import type { Credentials } from '#src/wire/signature.ts';

/** The broker's own client for Node.js, unmodified. */
export type OfficialClient = typeof import('longport');

/** The client, or why its native binary cannot be loaded on this machine. */
export type LoadedClient =
  | { readonly kind: 'loaded'; readonly sdk: OfficialClient }
  | { readonly kind: 'absent'; readonly reason: string };

/**
 * Loads the client of the devDependency; it needs a native binary for this platform and a recent enough C library.
 */
export function loadOfficialClient(): LoadedClient {
  try {
    return { kind: 'loaded', sdk: createRequire(import.meta.url)('longport') };
  } catch (error) {
    return { kind: 'absent', reason: error instanceof Error ? error.message.slice(0, 200) : String(error) };
  }
}

/** A title for the suite, with the reason if it is skipped. */
export function titleOf(client: LoadedClient, what: string): string {
  return client.kind === 'loaded'
    ? what
    : `${what} (SKIPPED, longport 3.0.18 cannot be loaded: ${client.reason})`;
}

/** Settings with which the client only connects to this venue. */
export function configFor(
  sdk: OfficialClient,
  venue: RunningVenue,
  credentials: Credentials,
  printPackages = false,
): InstanceType<OfficialClient['Config']> {
  return new sdk.Config({
    ...credentials,
    httpUrl: venue.http,
    quoteWsUrl: venue.quoteWs,
    tradeWsUrl: venue.tradeWs,
    enablePrintQuotePackages: printPackages,
  });
}

type Words<Name extends string> = Readonly<Record<Name, number>>;

/**
 * Enumerations of the client that the suite uses: its types declare them as constants that exist only at compile
 * time.
 */
export interface ClientWords {
  readonly AdjustType: Words<'NoAdjust' | 'ForwardAdjust'>;
  readonly CalcIndex: Words<'LastDone' | 'ChangeValue' | 'ChangeRate' | 'Volume' | 'Turnover' | 'Amplitude'>;
  readonly Market: Words<'HK' | 'US'>;
  readonly OrderSide: Words<'Buy' | 'Sell'>;
  readonly OrderStatus: Words<
    'Canceled' | 'Filled' | 'New' | 'NotReported' | 'PartialFilled' | 'Rejected' | 'VarietiesNotReported'
  >;
  readonly OrderType: Words<'ELO' | 'LIT' | 'LO' | 'MIT' | 'MO' | 'SLO' | 'TSLPAMT' | 'TSLPPCT'>;
  readonly Period: Words<'Day' | 'Min_1' | 'Min_5' | 'Week'>;
  readonly SecuritiesUpdateMode: Words<'Add' | 'Remove' | 'Replace'>;
  readonly SecurityListCategory: Words<'Overnight'>;
  readonly SubType: Words<'Brokers' | 'Depth' | 'Quote' | 'Trade'>;
  readonly TimeInForceType: Words<'Day' | 'GoodTilCanceled' | 'GoodTilDate'>;
  readonly TopicType: Words<'Private'>;
  readonly TradeSessions: Words<'All' | 'Intraday'>;
}

/** The values of the enumerations at run time. */
export function wordsOf(sdk: OfficialClient): ClientWords {
  return sdk as unknown as ClientWords;
}
