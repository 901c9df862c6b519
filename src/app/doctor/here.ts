import { statfsSync } from 'node:fs';
import { createSystemClock } from '../clock/system-clock.ts';
import type { Diagnosis } from './diagnosis.ts';
import { examine } from './doctor.ts';

/** Examines a project on this machine, with the environment of this process. */
export function examineHere(project: string, offline: boolean): Promise<readonly Diagnosis[]> {
  const clock = createSystemClock();
  return examine({
    project,
    offline,
    environment: process.env,
    nodeVersion: process.versions.node,
    now: () => clock.now(),
    freeBytes: (path) => {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    },
  });
}
