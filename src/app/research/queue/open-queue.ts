import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { type ObjectStore, Objm } from '@nats-io/obj';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  errors,
  type NatsConnection,
  nanos,
} from '@nats-io/transport-node';
import { printable } from '../../../model/printable.ts';
import type { QueueAddress } from './queue-address.ts';
import { QUEUE_VARIABLES } from './queue-address.ts';
import { QueueError } from './queue-error.ts';
import {
  ACK_WAIT_MS,
  KEPT_DAYS,
  OBJECTS_BUCKET,
  RESULTS_STREAM,
  runtimeName,
  TRIALS_STREAM,
  trialsOfRuntime,
  workersConsumer,
} from './queue-names.ts';

/** An open queue: connection, streams and object store. */
export interface Queue {
  readonly connection: NatsConnection;
  readonly streams: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly objects: ObjectStore;
  /** Version of Sluice and V8 whose trials are queued here. */
  readonly runtime: string;
  /** Address without the user. */
  readonly shown: string;
  close(): Promise<void>;
}

/** Oldest server version with all required features. */
const SERVER_MIN = [2, 10] as const;
const CONNECT_MS = 5_000;
const REQUEST_MS = 10_000;
const RECONNECT_MS = 500;
const DAY_MS = 86_400_000;
/** Maximum waiting pull requests at the server: two for each core of the workers. */
const WAITING_MAX = 50_000;

const STREAMS: readonly (Pick<StreamConfig, 'name' | 'subjects' | 'retention' | 'discard'> &
  Partial<StreamConfig>)[] = [
  {
    name: TRIALS_STREAM,
    subjects: ['sluice.trials.>'],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    discard_new_per_subject: true,
    max_msgs_per_subject: 1,
  },
  {
    name: RESULTS_STREAM,
    subjects: ['sluice.results.>'],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_msgs_per_subject: 1,
  },
];

/**
 * Connects to a NATS server, and creates missing streams and the object store. Reconnects without limit if the
 * connection is lost later. Throws QueueError.
 */
export async function openQueue(address: QueueAddress, name: string): Promise<Queue> {
  const { shown } = address;
  let connection: NatsConnection | undefined;
  try {
    connection = await connect(optionsOf(address, name));
    demandVersion(connection.info?.version ?? '0', shown);
    const manager = await jetstreamManager(connection, { timeout: REQUEST_MS });
    for (const stream of STREAMS) await openStream(manager, stream, shown);
    const streams = jetstream(connection, { timeout: REQUEST_MS });
    const objects = await new Objm(streams).create(OBJECTS_BUCKET, {
      storage: StorageType.File,
      ttl: nanos(KEPT_DAYS * DAY_MS),
      description: 'Code and data of sweeps, by content',
    });
    const runtime = runtimeName();
    const open = connection;
    return {
      connection,
      manager,
      streams,
      objects,
      runtime,
      shown,
      close: () => open.close(),
    };
  } catch (error) {
    await connection?.close();
    throw explained(error, shown);
  }
}

/** JetStream's error code for a consumer that exists with other settings. */
const CONSUMER_EXISTS = 10148;

/** Opens the consumer that all workers of this version share; creates it if missing. */
export async function openWorkersConsumer({ manager, runtime, shown }: Queue): Promise<string> {
  const name = workersConsumer(runtime);
  const settings = {
    description: 'Workers of one version of Sluice',
    ack_wait: nanos(ACK_WAIT_MS),
    // No limit: as many trials run as there are workers.
    max_ack_pending: -1,
  };
  const made = {
    ...settings,
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    filter_subject: trialsOfRuntime(runtime),
    max_waiting: WAITING_MAX,
  };
  try {
    try {
      await manager.consumers.add(TRIALS_STREAM, made);
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === CONSUMER_EXISTS)) throw error;
      await manager.consumers.update(TRIALS_STREAM, name, settings);
    }
  } catch (error) {
    throw explained(error, shown);
  }
  return name;
}

function optionsOf({ server, tls, login }: QueueAddress, name: string): ConnectionOptions {
  // For an IP address the client passes no host to Node.js, which would then compare the certificate with
  // "localhost".
  const host = server.slice(0, server.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
  const secured = { host, handshakeFirst: false };
  const options: ConnectionOptions = {
    servers: server,
    name,
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    ...(tls ? { tls: secured } : {}),
  };
  switch (login.kind) {
    case 'none':
      return options;
    case 'token':
      return { ...options, token: login.token };
    case 'password':
      return { ...options, user: login.user, pass: login.password };
    case 'credentials':
      return { ...options, authenticator: credsAuthenticator(login.content) };
  }
}

function demandVersion(version: string, shownAddress: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > SERVER_MIN[0] || (major === SERVER_MIN[0] && minor >= SERVER_MIN[1])) return;
  throw new QueueError(
    `The server at "${shownAddress}" runs NATS ${printable(version)}, want ${SERVER_MIN.join('.')} or newer (2.12 or newer is better); packages of Linux distributions are often older: take one from https://github.com/nats-io/nats-server/releases, or run "go install github.com/nats-io/nats-server/v2@latest"`,
  );
}

async function openStream(
  manager: JetStreamManager,
  wanted: (typeof STREAMS)[number],
  shownAddress: string,
): Promise<void> {
  const found = await infoOf(manager, wanted.name);
  if (found === undefined) {
    await manager.streams.add({
      ...wanted,
      storage: StorageType.File,
      max_age: nanos(KEPT_DAYS * DAY_MS),
      duplicate_window: nanos(2 * 60_000),
    });
    return;
  }
  const wrong = (['retention', 'discard', 'max_msgs_per_subject'] as const).find(
    (setting) => found[setting] !== wanted[setting],
  );
  if (wrong === undefined) return;
  throw new QueueError(
    `The server at "${shownAddress}" has a stream "${wanted.name}" with ${wrong} "${found[wrong]}", want "${wanted[wrong]}": it is not a queue of Sluice; use another account of the server, or remove the stream`,
  );
}

async function infoOf(manager: JetStreamManager, name: string): Promise<StreamConfig | undefined> {
  try {
    return (await manager.streams.info(name)).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)
      return undefined;
    throw error;
  }
}

/** JetStream's error code for a message that `discard_new_per_subject` refuses. */
const SUBJECT_IS_FULL = 10077;

/** True if a message was refused because its subject already has one. */
export function isQueuedAlready(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === SUBJECT_IS_FULL;
}

/** True if an operation may succeed when repeated: the connection is down, or the server is starting. */
export function isTransient(error: unknown): boolean {
  if (error instanceof errors.PermissionViolationError) return false;
  if (error instanceof JetStreamApiError) return error.status === 503;
  return (
    error instanceof errors.TimeoutError ||
    error instanceof errors.NoRespondersError ||
    error instanceof errors.ConnectionError ||
    (error instanceof errors.RequestError && (error.isNoResponders() || isTransient(error.cause))) ||
    (error instanceof Error && error.cause !== undefined && isTransient(error.cause))
  );
}

/** Converts an error of the server to one that states what to do. */
export function explained(error: unknown, shownAddress: string): Error {
  if (error instanceof QueueError) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  const text = (message: string): QueueError => new QueueError(message, { cause });
  const denied = permissionIn(cause);
  if (denied !== undefined)
    return text(
      `The server at "${shownAddress}" does not permit this user to ${denied.operation === 'publish' ? 'publish to' : 'subscribe to'} "${printable(denied.subject, 200)}"; grant it (docs/distributed.md lists all subjects)`,
    );
  if (cause instanceof errors.AuthorizationError || cause instanceof errors.UserAuthenticationExpiredError)
    return text(
      `The server at "${shownAddress}" refuses the login (${cause.message}); set ${Object.values(
        QUEUE_VARIABLES,
      )
        .join(', ')
        .replace(/, ([^,]+)$/, ' or $1')}`,
    );
  if (isWithoutJetStream(cause))
    return text(
      `The server at "${shownAddress}" has no JetStream for this account; start it with "nats-server -js", or enable JetStream for the account`,
    );
  if (isUntrusted(cause))
    return text(
      `Cannot trust the server at "${shownAddress}" (${reasonOf(cause)}); set NODE_EXTRA_CA_CERTS to the certificate of its authority, or correct the address`,
    );
  if (isUnreachable(cause))
    return text(
      `Cannot reach the queue at "${shownAddress}" (${reasonOf(cause)}); start a NATS server there with "nats-server -js", or correct the address`,
    );
  return text(`The queue at "${shownAddress}" failed: ${reasonOf(cause)}`);
}

function permissionIn(error: Error): InstanceType<typeof errors.PermissionViolationError> | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    if (each instanceof errors.PermissionViolationError) return each;
  return undefined;
}

const UNTRUSTED = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$/;

function isUntrusted(error: Error): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    if ('code' in each && typeof each.code === 'string' && UNTRUSTED.test(each.code)) return true;
  return false;
}

function isUnreachable(error: Error): boolean {
  if (error instanceof errors.TimeoutError || error instanceof errors.ConnectionError) return true;
  return 'syscall' in error && 'code' in error;
}

function isWithoutJetStream(error: Error): boolean {
  if (error instanceof JetStreamApiError)
    return error.code === JetStreamApiCodes.JetStreamNotEnabledForAccount;
  // The class is not exported.
  return error.name === 'JetStreamNotEnabled';
}

function reasonOf(error: Error): string {
  const { cause } = error;
  const inner = cause instanceof Error && cause.message !== '' ? cause.message : error.message;
  return printable(inner === '' ? error.name : inner, 200);
}
