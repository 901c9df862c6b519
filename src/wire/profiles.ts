/** Where the parameters of a DELETE travel. */
export type DeleteParameters = 'body' | 'query';

/** The points in which the documented wire and the live service differ. All else is the same in both. */
export interface WireProfile {
  readonly name: 'documented' | 'longbridge';
  /** Number of the quote command that answers the daily capital distribution of a security. */
  readonly capitalDistributionCommand: 24 | 25;
  /** Number of the quote command that answers the intraday capital flow of a security. */
  readonly capitalFlowCommand: 24 | 25;
  readonly deleteParameters: DeleteParameters;
}

export type ProfileName = WireProfile['name'];

/**
 * Both dialects of interface A: `documented` follows the source document to the letter and is the default,
 * `longbridge` is what the live service and its SDK speak.
 * @see docs/wire-protocol.md, "Calls", "The envelope"; docs/wire-protocol.md, "The sockets"
 */
export const PROFILES: Readonly<Record<ProfileName, WireProfile>> = {
  documented: {
    name: 'documented',
    capitalDistributionCommand: 24,
    capitalFlowCommand: 25,
    deleteParameters: 'body',
  },
  longbridge: {
    name: 'longbridge',
    capitalDistributionCommand: 25,
    capitalFlowCommand: 24,
    deleteParameters: 'query',
  },
};
