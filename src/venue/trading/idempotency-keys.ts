import { MINUTE_MS, type Millis } from '../../model/time.ts';
import type { CallResult } from '../calls/call.ts';
import { ExpiringMap } from '../server/expiring-map.ts';

/**
 * How long a submit is remembered by its `client_request_id`, in machine time.
 * @see docs/wire-protocol.md, "Calls"
 */
const REQUEST_KEY_LIFE_MS = 10 * MINUTE_MS;

const KEYS_MAX = 100_000;

/** Answers of submits by client request key: a repeat within ten minutes returns the first answer. */
export class IdempotencyKeys {
  readonly #answers = new ExpiringMap<CallResult>(REQUEST_KEY_LIFE_MS, KEYS_MAX);

  clear(): void {
    this.#answers.clear();
  }

  /** Runs `submit` unless the account has used the key before; without a key, always. */
  submitOnce(
    key: { readonly accountId: string; readonly id: string | undefined },
    now: Millis,
    submit: () => CallResult,
  ): CallResult {
    if (key.id === undefined || key.id === '') return submit();
    const name = `${key.accountId}|${key.id}`;
    const before = this.#answers.get(name, now);
    if (before !== undefined) return before;
    const outcome = submit();
    this.#answers.set(name, outcome, now);
    return outcome;
  }
}
