import { printable } from '../model/printable.ts';
import { redaction, wholeRedaction, withoutSignatures } from '../model/redaction.ts';
import type { Credentials } from '../wire/signature.ts';

/** The credentials in use. The token may be renewed during a run; texts never contain it. */
export interface Secrets {
  current(): Credentials;
  renew(accessToken: string): void;
  /** External text, made printable and shortened, with our secrets removed. */
  safe(text: string): string;
  /** External data before it is read, without long secrets and signatures: its texts are stored, and cut in errors. */
  removed(text: string): string;
}

const CHARS_MAX = 200;
/** Data is changed by longer secrets only: an order id or a figure has none of this length. */
const DATA_CHARS_MIN = 24;

/** @see docs/reliability.md, S-11, I-20 */
export function createSecrets(initial: Credentials): Secrets {
  let current = initial;
  const secrets = [initial.appKey, initial.appSecret, initial.accessToken];
  let [hidden, removed] = [redaction(secrets), wholeRedaction(secrets, DATA_CHARS_MIN)];
  return {
    current: () => current,
    renew(accessToken) {
      secrets.push(accessToken);
      [hidden, removed] = [redaction(secrets), wholeRedaction(secrets, DATA_CHARS_MIN)];
      current = { ...current, accessToken };
    },
    safe: (text) => printable(withoutSignatures(hidden(text)), CHARS_MAX),
    removed: (text) => withoutSignatures(removed(text)),
  };
}
