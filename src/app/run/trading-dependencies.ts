import type { BrokerClient } from '../../broker/connect.ts';
import type { TimestampMemory } from '../../broker/http/timestamps.ts';
import type { LeaseFacts } from '../../execution/reconciliation/recovery.ts';
import type { SharedCalls } from '../../ports/call-budget.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal.ts';
import type { ProfileName } from '../../wire/profiles.ts';
import type { VenueReady } from '../venue/venue-process.ts';

/** Where a bot trades and what it writes to. */
export interface TradingDependencies {
  readonly machine: Clock;
  readonly journal: Journal;
  /** Addresses and credentials; without an admin port market time is the wall's. */
  readonly ready: VenueReady;
  /** Folder of the bot with its control socket and kill file. */
  readonly folder: string;
  /** Path of the journal as a person would write it. */
  readonly journalPath: string;
  /** Resolves when the venue is gone; never where it is not ours. */
  readonly venueGone: Promise<string>;
  /** Four letters that mark our orders among others on the account. */
  readonly deployment: string;
  readonly profile: ProfileName;
  /** Whether the venue is known to give its first answer again to a repeated request key. */
  readonly requestKey: boolean;
  /** Whether the venue was started for this run and ends with it. */
  readonly ownVenue: boolean;
  readonly lease?: LeaseFacts;
  /** Calls that other processes make on the account; absent where none can. */
  readonly calls?: SharedCalls;
  /** Keeps the last X-Timestamp of the app key over restarts. */
  readonly timestamps?: TimestampMemory;
  /** Makes sure, right after connecting, that it is the account that was meant. */
  readonly verify?: (client: BrokerClient) => Promise<void>;
  /** The token to use in place of one that the venue refuses; absent: there never is one. */
  readonly newerToken?: (refused: string) => string | undefined;
  /** Looks after the connection while it is open; the result ends that. */
  readonly attend?: (client: BrokerClient) => Cancel;
}
