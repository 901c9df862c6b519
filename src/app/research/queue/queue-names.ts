import { packageVersion } from '../../../config/plugins/package-root.ts';

/** Stream of trials that wait for a worker: a work queue, which removes acknowledged trials. */
export const TRIALS_STREAM = 'SLUICE_TRIALS';
/** Stream of outcomes; those of a sweep are kept until it is finished. */
export const RESULTS_STREAM = 'SLUICE_RESULTS';
/** Object store of manifests, code and bars, each under the SHA-256 of its content. */
export const OBJECTS_BUCKET = 'sluice-objects';

/** Milliseconds without a heartbeat after which a trial is redelivered to another worker. */
export const ACK_WAIT_MS = 10_000;
/** Interval in which a worker reports that it still computes a trial. */
export const HEARTBEAT_MS = 4_000;

/** Days after which the server deletes the data of a sweep. */
export const KEPT_DAYS = 30;

/**
 * Identifies machines that compute the same figures to the last bit: this version of Sluice on this version of V8,
 * whose functions such as `Math.log` may differ between versions. Trials go only to workers with the same name.
 */
export function runtimeName(): string {
  return token(`${packageVersion()}-v8-${process.versions.v8}`);
}

/** Converts a text to one token of a subject. */
export function token(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Queued trials of one version; a worker computes all of them. */
export const trialsOfRuntime = (runtime: string): string => `sluice.trials.${runtime}.>`;
export const trialsOfSweep = (runtime: string, sweep: string): string =>
  `sluice.trials.${runtime}.${sweep}.>`;
export const trialSubject = (runtime: string, sweep: string, trial: number): string =>
  `sluice.trials.${runtime}.${sweep}.${trial}`;

export const resultsOfSweep = (sweep: string): string => `sluice.results.${sweep}.>`;
export const resultSubject = (sweep: string, trial: number): string => `sluice.results.${sweep}.${trial}`;
/** Subject on which a worker reports why no worker can run the trials of a sweep. */
export const faultSubject = (sweep: string): string => `sluice.results.${sweep}.fault`;

/** Subject on which a running sweep responds, so that a second process does not run it at the same time. */
export const aliveSubject = (sweep: string): string => `sluice.sweeps.${sweep}`;

/** Name of the consumer that all workers of one version share. */
export const workersConsumer = (runtime: string): string => `workers-${runtime}`;
