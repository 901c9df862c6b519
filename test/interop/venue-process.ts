import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import type { Credentials } from '#src/wire/signature.ts';

const PROJECT = join(import.meta.dirname, '../..');

const ready = z.object({
  http: z.string(),
  quoteWs: z.string(),
  tradeWs: z.string(),
  admin: z.string(),
  adminToken: z.string(),
  appKey: z.string(),
  appSecret: z.string(),
  accessToken: z.string(),
  catalogueToken: z.string(),
  catalogueApiKey: z.string(),
});

/** A venue that a user started from the command line. */
export interface VenueProcess extends RunningVenue {
  readonly credentials: Credentials;
  readonly catalogueToken: string;
  readonly catalogueApiKey: string;
}

/** Starts `sluice venue` with these flags on free ports; it ends with `close`, or with the test run. */
export async function aVenueProcess(...flags: readonly string[]): Promise<VenueProcess> {
  const argv = ['venue', '--json', '--port', '0', '--admin-port', '0', '--until-stdin-ends', ...flags];
  const child = spawn(process.execPath, [join(PROJECT, 'src/cli/main.ts'), ...argv], {
    cwd: PROJECT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = async (): Promise<void> => {
    child.stdin.end();
    await gone;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const { appKey, appSecret, accessToken, ...rest } = ready.parse(JSON.parse(line));
    return { ...rest, credentials: { appKey, appSecret, accessToken }, close };
  }
  throw new Error(`The venue ended without a word: sluice ${argv.join(' ')}`);
}
