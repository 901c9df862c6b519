import { printable } from '../model/printable.ts';
import type { Credentials } from '../wire/signature.ts';

/** The credentials in use. The token may be renewed during a run; texts never contain it. */
export interface Secrets {
  current(): Credentials;
  renew(accessToken: string): void;
  /** External text, made printable and shortened, with our secrets removed. */
  safe(text: string): string;
}

const REDACTED = '[redacted]';
const CHARS_MAX = 200;
/** A placeholder such as "x" is not a secret: removing it would only make texts unreadable. */
const CHARS_MIN = 6;

/** @see docs/reliability.md, S-11, I-20 */
export function createSecrets(initial: Credentials): Secrets {
  let current = initial;
  const hidden = new Set(
    [initial.appKey, initial.appSecret, initial.accessToken].filter((each) => each.length >= CHARS_MIN),
  );
  return {
    current: () => current,
    renew(accessToken) {
      hidden.add(accessToken);
      current = { ...current, accessToken };
    },
    safe(text) {
      let clean = text;
      for (const secret of hidden) clean = clean.replaceAll(secret, REDACTED);
      return printable(clean, CHARS_MAX);
    },
  };
}
