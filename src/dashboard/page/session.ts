import { signal } from '@preact/signals';

/** Permissions of this browser; `undefined` while it is signed out. */
export const right = signal<'command' | 'read' | undefined>(undefined);
/** Why the last login failed; empty if it did not. */
export const loginProblem = signal('');

const KEY = 'sluice-session';

interface StoredSession {
  readonly token: string;
  readonly right: 'command' | 'read';
}

let token = '';

/** A response of the dashboard that is not a success. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Headers of every request of this session. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  return { 'x-sluice-token': token };
}

/** Sends a request to the dashboard; throws Refused with its response. `left` cancels the request. */
export async function ask<T>(
  path: string,
  { body, left }: { readonly body?: object; readonly left?: AbortSignal } = {},
): Promise<T> {
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...sessionHeaders(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    credentials: 'same-origin',
    redirect: 'error',
    ...(left === undefined ? {} : { signal: left }),
  });
  const answer: unknown = await response.json();
  if (response.ok) return answer as T;
  if (response.status === 401) right.value = undefined;
  const { code = 'failed', message = response.statusText } = answer as Partial<
    Record<'code' | 'message', string>
  >;
  throw new Refused(code, message);
}

/**
 * Signs in with the secret of the link in the address, which is removed from it at once, or with what this browser
 * stored. Browsers never send that part of the address.
 */
export async function signIn(): Promise<void> {
  const link = /^#login=([\w-]+)$/.exec(location.hash)?.[1];
  if (link !== undefined) history.replaceState(null, '', '/');
  const kept = readStoredSession();
  if (link !== undefined) {
    try {
      keep(await ask<StoredSession>('/api/login', { body: { link } }));
      return;
    } catch (error) {
      loginProblem.value = error instanceof Refused ? error.message : String(error);
    }
  }
  if (kept !== undefined) {
    token = kept.token;
    right.value = kept.right;
  }
}

export async function signOut(): Promise<void> {
  try {
    await ask('/api/logout', { body: {} });
  } finally {
    localStorage.removeItem(KEY);
    right.value = undefined;
  }
}

function keep(session: StoredSession): void {
  token = session.token;
  localStorage.setItem(KEY, JSON.stringify(session));
  loginProblem.value = '';
  right.value = session.right;
}

function readStoredSession(): StoredSession | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return typeof kept === 'object' && kept !== null && 'token' in kept && 'right' in kept
      ? (kept as StoredSession)
      : undefined;
  } catch {
    return undefined;
  }
}
