import { decimal } from '../../model/decimal.ts';
import { type Millis, millis } from '../../model/time.ts';
import { ENDPOINTS, type EndpointName } from '../../wire/endpoints.ts';
import { type AccountAccess, readAccess } from '../access/account-access.ts';
import type { CredentialStore, RefreshedToken } from '../access/credential-store.ts';
import type { Handlers } from '../calls/handlers.ts';
import { serveCall } from '../calls/serve-call.ts';
import type { FaultActions } from '../faults/fault-actions.ts';
import type { ExpiringMap } from '../server/expiring-map.ts';
import { VenueError } from '../venue-error.ts';
import type { PublishEvents } from './market.ts';
import type { ReplayClock } from './replay-clock.ts';
import type { RestartableSimulation } from './restartable-simulation.ts';
import { REACHED_FACT, type StateRecord, type VenueState } from './state-file.ts';

export interface RestoreParts {
  readonly state: VenueState;
  readonly simulation: RestartableSimulation;
  readonly handlers: Handlers;
  readonly access: CredentialStore;
  readonly machine: ReplayClock;
  /** First serving time of signed requests, by replay key. */
  readonly served: ExpiringMap<Millis>;
  readonly publish: PublishEvents;
  readonly faultActions: Pick<FaultActions, 'replay'>;
}

/**
 * Replays everything in the state file, each record at its step, then advances to the time of the last state. Throws
 * VenueError (`bad-state`) if the market differs from the saved run.
 */
export function restoreState(parts: RestoreParts): void {
  const { state, simulation, publish } = parts;
  try {
    for (const record of state.records()) {
      while (simulation.steps < record.steps) publish(simulation.stepNext());
      if (record.marketTime > simulation.now()) simulation.moveTo(record.marketTime);
      applyRecord(record, parts);
    }
  } catch (cause) {
    if (cause instanceof VenueError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new VenueError('bad-state', `Cannot restore the venue's state: ${reason}`, { cause });
  }
  const reached = Number(state.fact(REACHED_FACT) ?? simulation.now());
  advanceTo(simulation, millis(reached), publish);
}

/** Applies access changes made over the admin port, in their order; bodies are those of `POST /access`. */
export function restoreAccess(state: VenueState, accountAccess: AccountAccess): void {
  for (const { kind, account, body } of state.records()) {
    if (kind !== 'access') continue;
    const terms = readAccess(body);
    if (typeof terms === 'string')
      throw new VenueError('bad-state', `Cannot restore the account access: ${terms}`);
    accountAccess.set(account === '' ? undefined : account, terms);
  }
}

/** Processes all events up to and including an instant, and moves there. */
function advanceTo(simulation: RestartableSimulation, until: Millis, publish: PublishEvents): void {
  while (Math.min(simulation.nextVenueEventAt(), simulation.nextPrintAt()) <= until)
    publish(simulation.stepNext());
  if (until > simulation.now()) simulation.moveTo(until);
}

function applyRecord(record: StateRecord, parts: RestoreParts): void {
  switch (record.kind) {
    case 'token':
      parts.access.restore(JSON.parse(record.body) as RefreshedToken);
      return;
    case 'deposit': {
      const { currency, amount } = JSON.parse(record.body) as { currency: string; amount: string };
      accountOf(record, parts).deposit(currency, decimal(amount));
      return;
    }
    case 'fault-action':
      parts.faultActions.replay(record.body);
      return;
    case 'access':
      // Replayed calls ignore access; `restoreAccess` applies it afterwards.
      return;
    case 'call':
    case 'keyless-call':
      replayCall(record, parts);
  }
}

function replayCall(record: StateRecord, parts: RestoreParts): void {
  const { handlers, machine, served } = parts;
  const { name, query, body, machineTime, replayKey } = record;
  if (!isEndpoint(name))
    throw new VenueError('bad-state', `Cannot replay a call of unknown endpoint "${name}"`);
  const call = {
    account: accountOf(record, parts),
    appKey: '',
    accessToken: '',
    language: 'en',
    // As at the time of the call, regardless of the venue's capabilities now.
    isKeyless: record.kind === 'keyless-call',
  } as const;
  const outcome = machine.runAt(machineTime, () => serveCall(handlers, name, { query, body }, call));
  if (outcome.kind === 'refused') {
    const then = new Date(record.marketTime).toISOString();
    throw new VenueError(
      'bad-state',
      `Cannot restore the venue's state: "${name}" of ${then} succeeded then and fails now: ${outcome.message}`,
    );
  }
  if (replayKey !== '') served.set(replayKey, machineTime, machineTime);
}

function accountOf({ account }: StateRecord, { simulation }: RestoreParts) {
  const found = simulation.account(account);
  if (found === undefined)
    throw new VenueError('bad-state', `Cannot restore the venue's state: it has no account "${account}"`);
  return found;
}

function isEndpoint(name: string): name is EndpointName {
  return Object.hasOwn(ENDPOINTS, name);
}
