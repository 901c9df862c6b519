import type { Millis } from '../../model/time.ts';
import type { OperatorCommanded, SluiceEvent } from '../event.ts';

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
  /** True from a start until it has recovered; it may fail or crash until then. */
  readonly isRecovering: boolean;
  /** Time of the first record of a run that had recovered; undefined before it. */
  readonly ranFrom: Millis | undefined;
  /** Time of the newest record of a run that had recovered; undefined before it. */
  readonly ranUntil: Millis | undefined;
  /** Newest `flatten` and `cancel-all` of a schedule by command and symbol: "flatten 700.HK". */
  readonly cleanups: ReadonlyMap<string, Millis>;
}

/** Starts to keep; more than any limit on crashes counts. */
const STARTS_MAX = 20;

/** Creates the fold of starts and ends. */
export function createStartFold() {
  const starts: Start[] = [];
  const cleanups = new Map<string, Millis>();
  const record: { -readonly [K in keyof StartRecord]: StartRecord[K] } = {
    epoch: 0,
    version: undefined,
    configHash: undefined,
    starts,
    isRecovering: false,
    ranFrom: undefined,
    ranUntil: undefined,
    cleanups,
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
    if (isScheduledCleanup(event))
      for (const symbol of event.symbols ?? []) cleanups.set(`${event.command} ${symbol}`, event.at);
    if (event.kind === 'lease-taken') record.isRecovering = true;
    else if (event.kind === 'run-started') record.isRecovering = false;
    if (record.isRecovering) return;
    record.ranFrom ??= event.at;
    record.ranUntil = event.at;
  }

  return { record, apply };
}

function isScheduledCleanup(event: SluiceEvent): event is OperatorCommanded {
  if (event.kind !== 'operator-commanded' || event.by !== 'schedule' || !event.taken) return false;
  return event.command === 'flatten' || event.command === 'cancel-all';
}
