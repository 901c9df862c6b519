import { aLivingVenue, CREDENTIALS, clockAhead } from '../interop/a-living-venue.ts';

/** How far the venue's clock is ahead of the machine's. */
export const MACHINE_AHEAD_MS = 3_600_000;

/** A venue whose clock is an hour ahead, so that every request is an hour old. */
export async function venueAhead() {
  const venue = await aLivingVenue({ machine: clockAhead(MACHINE_AHEAD_MS) });
  return {
    ready: { http: venue.http, quoteWs: venue.quoteWs, tradeWs: venue.tradeWs },
    secrets: {
      SLUICE_APP_KEY: CREDENTIALS.appKey,
      SLUICE_APP_SECRET: CREDENTIALS.appSecret,
      SLUICE_ACCESS_TOKEN: CREDENTIALS.accessToken,
    },
    close: () => venue.close(),
  };
}
