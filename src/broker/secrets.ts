import { printable } from '../model/printable.ts';
import type { Credentials } from '../wire/signature.ts';

/** The credentials in use. The token may be renewed while we run; the texts of others never carry it. */
export interface Secrets {
  current(): Credentials;
  renew(accessToken: string): void;
  /** Text from outside, printable, shortened, with every secret of ours blotted out. */
  safe(text: string): string;
}

const REDACTED = '[redacted]';
const CHARS_MAX = 200;
/** A placeholder such as "x" is no secret: blotting it out hides nothing and makes texts unreadable. */
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
