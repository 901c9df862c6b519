import type { Millis } from '../../model/time.ts';

/** The areas that doctor checks, in this order. */
export const AREAS = [
  'machine',
  'project',
  'config',
  'strategy',
  'plugin',
  'data',
  'secrets',
  'venue',
  'journal',
] as const;
export type Area = (typeof AREAS)[number];

/** One thing that is wrong (`fault`) or to be known (`note`): what was seen, and what to do. */
export interface Diagnosis {
  readonly area: Area;
  /** Stable name of the fault, for programs. */
  readonly code: string;
  readonly severity: 'fault' | 'note';
  readonly message: string;
  readonly fix: string;
}

/** The environment to examine. A test passes whatever has to differ. */
export interface Installation {
  readonly project: string;
  /** As the shell has it, without `.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Such as `24.21.0`. */
  readonly nodeVersion: string;
  readonly now: () => Millis;
  /** Free bytes on the disk of the project. */
  readonly freeBytes: (path: string) => number;
  /** Asks no venue, even where the environment names one. */
  readonly offline: boolean;
}

export function fault(area: Area, code: string, message: string, fix: string): Diagnosis {
  return { area, code, severity: 'fault', message, fix };
}

export function note(area: Area, code: string, message: string, fix: string): Diagnosis {
  return { area, code, severity: 'note', message, fix };
}
