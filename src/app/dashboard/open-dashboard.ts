import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Dashboard, startDashboard } from '../../dashboard/server.ts';
import { every } from '../clock/every.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { pageFiles } from './page-bundle.ts';
import { projectBots } from './project-bots.ts';
import { projectRuns } from './project-runs.ts';

/** Bytes of a link's or a session's secret. */
const SECRET_BYTES = 32;

/** Serves the dashboard of a project's bots on this machine only. */
export async function openDashboard(
  project: string,
  { port, commands }: { readonly port: number; readonly commands: boolean },
): Promise<Dashboard> {
  const { now } = createSystemClock();
  return startDashboard({
    port,
    commands,
    source: projectBots(project),
    runs: projectRuns(project),
    page: await pageFiles(),
    machine: {
      now,
      every,
      secret: () => randomBytes(SECRET_BYTES).toString('base64url'),
      pause: () => setImmediate(),
    },
  });
}
