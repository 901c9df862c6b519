import { signal } from '@preact/signals';

/** What this browser may do; `undefined` while it is signed out. */
export const right = signal<'command' | 'read' | undefined>(undefined);
/** Why the last login failed; empty when none did. */
export const loginProblem = signal('');

const KEY = 'sluice-session';

interface StoredSession {
  readonly token: string;
  readonly right: 'command' | 'read';
}

let token = '';

/** An answer of the dashboard that is not a success. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Headers that belong to every request of this session. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  return { 'x-sluice-token': token };
}

/** Asks the dashboard; throws Refused with what it answered. `left` gives the request up. */
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
 * Signs in by the link's secret in the address, which is taken out of it at once, or by what this browser kept. The secret is in
 * the part of the address that browsers send nowhere.
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
