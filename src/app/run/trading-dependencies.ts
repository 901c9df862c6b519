import type { BrokerClient } from '../../broker/connect.ts';
import type { TimestampStore } from '../../broker/http/timestamps.ts';
import type { LeaseFacts } from '../../execution/reconciliation/recovery.ts';
import type { SharedCalls } from '../../ports/call-budget.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal.ts';
import type { ProfileName } from '../../wire/profiles.ts';
import type { VenueReady } from '../venue/venue-process.ts';

/** Connections, files and identity of a bot. */
export interface TradingDependencies {
  readonly machine: Clock;
  readonly journal: Journal;
  /** Addresses and credentials; without an admin port, market time is the machine's. */
  readonly ready: VenueReady;
  /** Folder of the bot with its control socket and kill file. */
  readonly folder: string;
  /** Path of the journal as shown to the user. */
  readonly journalPath: string;
  /** Resolves when the embedded venue ends; never for another venue. */
  readonly venueGone: Promise<string>;
  /** Four letters that tag our orders among others on the account. */
  readonly deployment: string;
  readonly profile: ProfileName;
  /** Whether the venue is known to return its first answer to a repeated request key. */
  readonly requestKey: boolean;
  /** Whether the venue was started for this run and ends with it. */
  readonly ownVenue: boolean;
  readonly lease?: LeaseFacts;
  /** Calls of other processes on the account; absent if there can be none. */
  readonly calls?: SharedCalls;
  /** Stores the last X-Timestamp of the app key across restarts. */
  readonly timestamps?: TimestampStore;
  /** Checks the account right after connecting. */
  readonly verify?: (client: BrokerClient) => Promise<void>;
  /** Returns the token that replaces one refused by the venue; absent: there is never one. */
  readonly newerToken?: (refused: string) => string | undefined;
  /** Maintains the connection while it is open, until cancelled. */
  readonly attend?: (client: BrokerClient) => Cancel;
}
