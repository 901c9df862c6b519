import { statfsSync } from 'node:fs';
import { createSystemClock } from '../clock/system-clock.ts';
import type { Diagnosis } from './diagnosis.ts';
import { diagnose } from './doctor.ts';

/** Examines a project on this machine, with the environment of this process. */
export function diagnoseProject(project: string, offline: boolean): Promise<readonly Diagnosis[]> {
  const clock = createSystemClock();
  return diagnose({
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
