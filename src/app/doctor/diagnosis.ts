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

/** A problem (`fault`) or an information (`note`): what was found, and what to do. */
export interface Diagnosis {
  readonly area: Area;
  /** Stable name of the fault, for programs. */
  readonly code: string;
  readonly severity: 'fault' | 'note';
  readonly message: string;
  readonly fix: string;
}

/** The environment to examine; tests pass other values. */
export interface Installation {
  readonly project: string;
  /** The shell's variables, without `.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Such as `24.21.0`. */
  readonly nodeVersion: string;
  readonly now: () => Millis;
  /** Free bytes on the disk of the project. */
  readonly freeBytes: (path: string) => number;
  /** True to query no venue, even if the environment names one. */
  readonly offline: boolean;
}

export function fault(area: Area, code: string, message: string, fix: string): Diagnosis {
  return { area, code, severity: 'fault', message, fix };
}

export function note(area: Area, code: string, message: string, fix: string): Diagnosis {
  return { area, code, severity: 'note', message, fix };
}
