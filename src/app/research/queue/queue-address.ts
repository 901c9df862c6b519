import { readFileSync } from 'node:fs';
import { QueueError } from './queue-error.ts';

/** Address of a queue, and its login. */
export interface QueueAddress {
  /** Host and port, without a user. */
  readonly server: string;
  /** Address for messages: scheme, host and port. */
  readonly shown: string;
  readonly tls: boolean;
  readonly login:
    | { readonly kind: 'none' }
    | { readonly kind: 'token'; readonly token: string }
    | { readonly kind: 'password'; readonly user: string; readonly password: string }
    | { readonly kind: 'credentials'; readonly content: Uint8Array };
}

/** Environment variables with the login; the first that is set takes precedence, also over a user in the address. */
export const QUEUE_VARIABLES = {
  credentials: 'SLUICE_NATS_CREDS',
  token: 'SLUICE_NATS_TOKEN',
  user: 'SLUICE_NATS_USER',
  password: 'SLUICE_NATS_PASSWORD',
} as const;

const PORT = 4222;
const WANTED = 'want an address such as "nats://127.0.0.1:4222", or "tls://queue.example.com:4222"';

/**
 * Reads an address, and the login from the environment. Throws QueueError for an invalid address, without repeating a
 * password.
 */
export function readQueueAddress(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): QueueAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'nats:' && url.protocol !== 'tls:'))
    throw new QueueError(`Cannot read the address of the queue, ${WANTED}`);
  if (url.hostname === '') throw new QueueError(`The address of the queue names no host, ${WANTED}`);
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '')
    throw new QueueError(`The address of the queue has more than a host and a port, ${WANTED}`);
  const server = `${url.hostname}:${url.port === '' ? PORT : url.port}`;
  return {
    server,
    shown: `${url.protocol}//${server}`,
    tls: url.protocol === 'tls:',
    login: loginIn(url, environment),
  };
}

function loginIn(
  { username, password }: Pick<URL, 'username' | 'password'>,
  environment: Readonly<Record<string, string | undefined>>,
): QueueAddress['login'] {
  const value = (name: string): string | undefined => environment[name] || undefined;
  const file = value(QUEUE_VARIABLES.credentials);
  if (file !== undefined) return { kind: 'credentials', content: credentialsIn(file) };
  const token = value(QUEUE_VARIABLES.token);
  if (token !== undefined) return { kind: 'token', token };
  const user = value(QUEUE_VARIABLES.user);
  if (user !== undefined) return { kind: 'password', user, password: value(QUEUE_VARIABLES.password) ?? '' };
  if (username === '') return { kind: 'none' };
  if (password === '') return { kind: 'token', token: decodeURIComponent(username) };
  return { kind: 'password', user: decodeURIComponent(username), password: decodeURIComponent(password) };
}

function credentialsIn(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new QueueError(
      `Cannot read the credentials file "${file}" that ${QUEUE_VARIABLES.credentials} names: ${why}`,
      { cause },
    );
  }
}
