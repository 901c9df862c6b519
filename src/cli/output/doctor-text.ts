import { AREAS, type Area, type Diagnosis } from '../../app/doctor/diagnosis.ts';
import { plural } from '../../model/plural.ts';
import { beside } from '../../reports/format.ts';
import { inkFor } from '../../reports/ink.ts';

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

/** Cells before each text. */
const HEAD_CELLS = 7;

/** Findings by area, each with its solution. */
export function doctorText(found: readonly Diagnosis[], { colour }: { readonly colour: boolean }): string {
  const ink = inkFor(colour);
  const heads = { fault: ink.bad('FAULT'), note: ink.accent('note ') };
  const lines = AREAS.flatMap((area) => {
    const own = found.filter((each) => each.area === area);
    if (own.length === 0) return [`${ink.good('ok')}     ${TITLES[area]}`];
    return own.flatMap(({ severity, message, fix }) => [
      beside(`${heads[severity]}  `, `${TITLES[area]}: ${message}`, HEAD_CELLS),
      beside(`${' '.repeat(HEAD_CELLS)}-> `, fix),
    ]);
  });
  const faults = found.filter(({ severity }) => severity === 'fault').length;
  const notes = found.length - faults;
  const sum = [plural(faults, 'fault'), plural(notes, 'note')].join(', ');
  return `${[...lines, sum].join('\n')}\n`;
}
