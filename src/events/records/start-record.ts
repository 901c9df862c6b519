import type { Millis } from '../../model/time.ts';
import type { SluiceEvent } from '../event.ts';

/** A start of a bot, and whether its end was recorded. */
export interface Start {
  readonly machineAt: Millis;
  readonly ended: boolean;
}

/** The processes that wrote a journal. */
export interface StartRecord {
  /** Number of the newest writer; 0 before the first. */
  readonly epoch: number;
  readonly version: string | undefined;
  readonly configHash: string | undefined;
  /** The newest starts, oldest first. */
  readonly starts: readonly Start[];
}

/** Starts to keep; more than any limit on crashes counts. */
const STARTS_MAX = 20;

/** Creates the fold of starts and ends. */
export function createStartFold() {
  const starts: Start[] = [];
  const record: { -readonly [K in keyof StartRecord]: StartRecord[K] } = {
    epoch: 0,
    version: undefined,
    configHash: undefined,
    starts,
  };

  function apply(event: SluiceEvent): void {
    if (event.kind === 'lease-taken') {
      Object.assign(record, { epoch: event.epoch, version: event.version, configHash: event.configHash });
      starts.push({ machineAt: event.machineAt, ended: false });
      if (starts.length > STARTS_MAX) starts.shift();
    }
    const newest = starts.at(-1);
    if (event.kind === 'run-ended' && newest !== undefined)
      starts[starts.length - 1] = { ...newest, ended: true };
  }

  return { record, apply };
}
