import { type Millis, SECOND_MS } from '../../model/time.ts';
import { CALL_LIMITS, ENDPOINTS, type EndpointName } from '../../wire/endpoints.ts';
import { CALLS_PER_ADDRESS, type CommandLimit, HISTORY_LIMIT, QUOTE_LIMIT } from '../server/limits.ts';
import type { RateLimits } from '../venue-options.ts';

/**
 * Counts calls, by market time. Trade calls have the published limits: a maximum per window and a minimum distance
 * between two calls. Quote calls have a token bucket per command, as announced. Refused calls are not counted.
 * @see docs/wire-protocol.md, "Calls"
 */
export class CallLimiter {
  readonly #limits: RateLimits;
  readonly #enforcesSpacing: boolean;
  readonly #calls = new Map<string, number[]>();
  readonly #buckets = new Map<string, { readonly tokens: number; readonly at: Millis }>();

  /**
   * `enforcesSpacing`: whether the minimum distance is enforced; not in a scaled market, where jitter grows with the speed.
   */
  constructor(limits: RateLimits, enforcesSpacing: boolean) {
    this.#limits = limits;
    this.#enforcesSpacing = enforcesSpacing;
  }

  /**
   * Counts a call from an address, by machine time; returns false above the limit.
   * @see docs/wire-protocol.md, "Calls"
   */
  admitsAddress(address: string, now: Millis): boolean {
    if (this.#limits === 'off') return true;
    return this.#count(`address|${address}`, now, {
      calls: CALLS_PER_ADDRESS,
      windowMs: SECOND_MS,
      spacingMs: 0,
    });
  }

  /** Counts an HTTP call; returns false above the limit. */
  admits(accountId: string, name: EndpointName, now: Millis): boolean {
    const { limit } = ENDPOINTS[name];
    if (this.#limits === 'off' || limit === 'none') return true;
    if (limit === 'quote') return this.admitsQuote(accountId, name, now);
    const { calls, windowMs, spacingMs } = CALL_LIMITS.trade;
    const key = this.#limits === 'account' ? 'trade' : name;
    return this.#count(`${accountId}|${key}`, now, {
      calls,
      windowMs,
      spacingMs: this.#enforcesSpacing ? spacingMs : 0,
    });
  }

  /**
   * Counts a quote call in the token bucket of its endpoint or command. The bucket holds one second's refill more
   * than announced, because clients that refill once per second may send both at once.
   */
  admitsQuote(accountId: string, name: string | number, now: Millis): boolean {
    if (this.#limits === 'off') return true;
    const { limit, burst } = limitOf(name);
    const key = `${accountId}|${name}`;
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: burst + limit, at: now };
    const left = Math.min(burst + limit, tokens + ((now - at) * limit) / SECOND_MS);
    const isAdmitted = left >= 1;
    this.#buckets.set(key, { tokens: isAdmitted ? left - 1 : left, at: now });
    return isAdmitted;
  }

  /** Returns the limits announced to clients for these commands; none if call limits are off. */
  announcedLimits(commands: readonly number[]): readonly (CommandLimit & { readonly command: number })[] {
    return this.#limits === 'off' ? [] : commands.map((command) => ({ command, ...limitOf(command) }));
  }

  #count(
    key: string,
    now: Millis,
    limit: { readonly calls: number; readonly windowMs: number; readonly spacingMs: number },
  ): boolean {
    const recent = (this.#calls.get(key) ?? []).filter((at) => at > now - limit.windowMs);
    const last = recent.at(-1);
    const tooSoon = last !== undefined && now - last < limit.spacingMs;
    if (!tooSoon && recent.length < limit.calls) recent.push(now);
    else {
      this.#calls.set(key, recent);
      return false;
    }
    this.#calls.set(key, recent);
    return true;
  }
}

const HISTORY_COMMAND = 27;

function limitOf(name: string | number): CommandLimit {
  return name === HISTORY_COMMAND ? HISTORY_LIMIT : QUOTE_LIMIT;
}
