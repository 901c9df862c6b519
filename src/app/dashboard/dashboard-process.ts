import { z } from 'zod';
import { spawnCommand } from '../venue/command-process.ts';

/** Output of `sluice ui --json` when it is ready. */
const readySchema = z.object({ login: z.string() });

/** A dashboard in a separate process. */
export interface DashboardProcess {
  /** The link that signs one browser in. */
  readonly login: string;
  stop(): Promise<void>;
}

/** Starts `sluice ui` on a free port, so that a browser cannot slow the bot. Rejects if it cannot be started. */
export async function spawnDashboard(project: string): Promise<DashboardProcess> {
  const { firstLine, gone, stop } = spawnCommand(
    ['ui', '--json', '--until-stdin-ends', '--port', '0'],
    project,
  );
  const line = await firstLine;
  if (line === undefined)
    throw new Error(`Cannot start the dashboard, and the bot was not started: ${await gone}; omit "--ui"`);
  return { login: readySchema.parse(JSON.parse(line)).login, stop };
}
