import { AREAS, type Area, type Diagnosis } from '../app/doctor/diagnosis.ts';

const TITLES: Readonly<Record<Area, string>> = {
  machine: 'Machine',
  project: 'Project',
  config: 'Configs',
  strategy: 'Strategies',
  plugin: 'Other plugins',
  data: 'Data',
  secrets: 'Credentials',
  venue: 'Venue',
  journal: 'Journals',
};

/** What was found, area by area, each with its fix. */
export function doctorText(found: readonly Diagnosis[]): string {
  const lines = AREAS.flatMap((area) => {
    const own = found.filter((each) => each.area === area);
    if (own.length === 0) return [`ok     ${TITLES[area]}`];
    return own.flatMap(({ severity, message, fix }) => [
      `${severity === 'fault' ? 'FAULT' : 'note '}  ${TITLES[area]}: ${message}`,
      `       -> ${fix}`,
    ]);
  });
  const faults = found.filter(({ severity }) => severity === 'fault').length;
  const notes = found.length - faults;
  const sum = [counted(faults, 'fault'), counted(notes, 'note')].join(', ');
  return `${[...lines, sum].join('\n')}\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}
