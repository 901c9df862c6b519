import { checkConfigs } from './check-configs.ts';
import { checkJournals } from './check-journals.ts';
import { checkMachine, checkProject } from './check-machine.ts';
import { checkSecrets } from './check-secrets.ts';
import { checkVenue } from './check-venue.ts';
import { AREAS, type Diagnosis, type Installation } from './diagnosis.ts';

/** Checks a project and its machine, secrets, venue and configs; changes nothing. In the order of `AREAS`, faults before notes. */
export async function diagnose(installation: Installation): Promise<readonly Diagnosis[]> {
  const found = [
    ...checkMachine(installation),
    ...(await checkProject(installation)),
    ...(await checkConfigs(installation)),
    ...checkSecrets(installation),
    ...(await checkVenue(installation)),
    ...checkJournals(installation),
  ];
  const rank = ({ area, severity }: Diagnosis): number =>
    AREAS.indexOf(area) * 2 + (severity === 'fault' ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b));
}
