export type DeleteParameters = 'body' | 'query';

/** Differences between the documented wire and the live service. */
export interface WireProfile {
  readonly name: 'documented' | 'longbridge';
  /** Command of a security's daily capital distribution. */
  readonly capitalDistributionCommand: 24 | 25;
  /** Command of a security's intraday capital flow. */
  readonly capitalFlowCommand: 24 | 25;
  readonly deleteParameters: DeleteParameters;
}

export type ProfileName = WireProfile['name'];

/**
 * Dialects of interface A: `documented` follows the source document and is the default, `longbridge` is that of the
 * live service and its SDK.
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
