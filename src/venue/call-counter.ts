import { type Millis, SECOND_MS } from '../model/time.ts';
import { CALL_LIMITS, ENDPOINTS, type EndpointName } from '../wire/endpoints.ts';
import { CALLS_PER_ADDRESS } from './limits.ts';
import type { RateLimits } from './venue-options.ts';

/**
 * Counts calls as the published limits do, by the market's clock: at most so many in any window, and a least distance
 * between two trade calls. What is refused is not counted.
 * @see reference: HTTP API, section 9.1
 */
export class CallCounter {
  readonly #limits: RateLimits;
  readonly #spaced: boolean;
  readonly #calls = new Map<string, number[]>();

  /** `spaced`: whether the least distance is enforced; against a scaled market it is not, as jitter grows with the speed. */
  constructor(limits: RateLimits, spaced: boolean) {
    this.#limits = limits;
    this.#spaced = spaced;
  }

  /** Counts one call from an address, by machine time; false when it is one too many. @see reference: HTTP API, 9.1 */
  admitsAddress(address: string, now: Millis): boolean {
    if (this.#limits === 'off') return true;
    return this.#count(`address|${address}`, now, {
      calls: CALLS_PER_ADDRESS,
      windowMs: SECOND_MS,
      spacingMs: 0,
    });
  }

  /** Counts one HTTP call; false when it is one too many. */
  admits(accountId: string, name: EndpointName, now: Millis): boolean {
    const { limit } = ENDPOINTS[name];
    if (this.#limits === 'off' || limit === 'none') return true;
    if (limit === 'quote') return this.admitsQuote(accountId, 'quote', now);
    const { calls, windowMs, spacingMs } = CALL_LIMITS.trade;
    const key = this.#limits === 'account' ? 'trade' : name;
    return this.#count(`${accountId}|${key}`, now, {
      calls,
      windowMs,
      spacingMs: this.#spaced ? spacingMs : 0,
    });
  }

  /** Counts one call about quotes, over HTTP or the socket; bars of the past have a limit of their own besides. */
  admitsQuote(accountId: string, kind: 'quote' | 'historyCandlesticks', now: Millis): boolean {
    if (this.#limits === 'off') return true;
    const all = this.#count(`${accountId}|quotes`, now, { ...CALL_LIMITS.quote, spacingMs: 0 });
    if (!all || kind === 'quote') return all;
    return this.#count(`${accountId}|history`, now, { ...CALL_LIMITS.historyCandlesticks, spacingMs: 0 });
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
