import { firstValueFrom, type Observable } from 'rxjs';
import type { RenewedToken } from '../../broker/socket/token-renewal.ts';
import { createRunClock } from '../../engine/run-clock.ts';
import { DAY_MS, MINUTE_MS, type Millis, millis, SECOND_MS } from '../../model/time.ts';
import { type Answer, failureReason } from '../../ports/broker.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import {
  type ActiveCredentials,
  daysLeft,
  expiryOf,
  expiryWarning,
  newerTokens,
  WARNED_DAYS,
} from './active-credentials.ts';
import type { StoredToken, TokenFile } from './token-file.ts';

/** Dependencies of keeping a token fresh. */
export interface TokenKeeperParts {
  readonly tokens: TokenFile;
  /** The credentials at the start. A token with an unknown expiry is renewed manually only. */
  readonly inForce: ActiveCredentials;
  readonly machine: Clock;
  readonly warn: (text: string) => void;
}

/** The client whose token is kept fresh. */
export interface RenewableClient {
  /**
   * Requests a new token from the venue, valid until the given time: it is passed to `save` and used before this
   * emits.
   */
  readonly renew: (expiresAt: Millis) => Observable<Answer<RenewedToken>>;
  readonly use: (accessToken: string) => void;
}

/** Keeps the access token of a bot fresh. */
export interface TokenKeeper {
  /**
   * Returns the token that another process stored since, in place of a refused one. Without one, an alarm is raised.
   */
  newerToken(refused: string): string | undefined;
  /** Saves a token from the venue. Throws EnvironmentError. */
  save(accessToken: string): void;
  /**
   * Renews the token when it has 14 days left, and retries every day if that fails. Every failure raises an alarm, as
   * do 14, 7, 3 and 1 days before the expiry. Two processes of one project never renew at once. Returns a function
   * that stops it.
   */
  start(client: RenewableClient): Cancel;
}

/** Requested lifetime of a new token. @see docs/wire-protocol.md, "Calls" */
const LIFETIME_MS = 90 * DAY_MS;
/** Maximum time between the venue's answer and the storage of a new token by another process. */
const STORE_DELAY_MS = 2 * SECOND_MS;
/** Time between two attempts to save a token. */
const SAVE_RETRY_MS = MINUTE_MS;

/** @see docs/reliability.md, I-19, F-B06 */
export function createTokenKeeper(parts: TokenKeeperParts): TokenKeeper {
  const { tokens, inForce, machine, warn } = parts;
  const stored = newerTokens(tokens, inForce.credentials.accessToken);
  const timers = createRunClock(machine);
  let client: RenewableClient | undefined;
  let inUse = inForce.credentials.accessToken;
  let end = inForce.expiresAt;
  let warned: number = Number.POSITIVE_INFINITY;
  let cancelPlan: Cancel = () => undefined;
  /** The newest token that the venue refused. */
  let lastRefused: string | undefined;

  /** Adopts a token that another process stored; undefined if there is no new one. */
  function newer(): string | undefined {
    const token = stored.newer();
    if (token === undefined) return undefined;
    inUse = token.accessToken;
    setEnd(token.expiresAt);
    planOrReadEnd();
    return inUse;
  }

  /** Another process stores a token first, and its expiry a moment later. */
  function planOrReadEnd(): void {
    if (client === undefined) return;
    if (end === undefined) timers.at(millis(machine.now() + STORE_DELAY_MS), 'timer', readEnd);
    else plan();
  }

  function readEnd(): void {
    const token = stored.read();
    if (end !== undefined || token?.accessToken !== inUse) return;
    setEnd(token.expiresAt);
    plan();
  }

  function setEnd(text: string): void {
    end = expiryOf(text);
    warned = Number.POSITIVE_INFINITY;
  }

  function reportRefused(refused: string): void {
    if (client === undefined || lastRefused === refused) return;
    lastRefused = refused;
    timers.at(millis(machine.now() + STORE_DELAY_MS), 'timer', () => {
      const token = newer();
      if (token !== undefined) client?.use(token);
      if (inUse === refused) warn(refusedText(tokens.path));
    });
  }

  function plan(): void {
    cancelPlan();
    if (end === undefined) return;
    const now = machine.now();
    const first = end - WARNED_DAYS[0] * DAY_MS;
    cancelPlan = timers.at(millis(Math.max(first, now + (now >= first ? DAY_MS : 0))), 'timer', renewIfDue);
  }

  function renewIfDue(): void {
    const token = newer();
    if (token !== undefined) client?.use(token);
    if (end === undefined || machine.now() < end - WARNED_DAYS[0] * DAY_MS) {
      plan();
      return;
    }
    warnOfEnd(end);
    renewNow()
      .catch((error: unknown) => warn(`The access token was not renewed: ${textOf(error)}`))
      .finally(plan);
  }

  /** Once for each number of days. */
  function warnOfEnd(until: Millis): void {
    const left = daysLeft(until, machine.now());
    const mark = WARNED_DAYS.findLast((days) => left <= days);
    if (mark === undefined || mark >= warned) return;
    warned = mark;
    warn(expiryWarning(until, machine.now()));
  }

  function renewNow(): Promise<void> {
    return tokens.withLock(async () => {
      if (client === undefined) return;
      const answer = await firstValueFrom(client.renew(millis(machine.now() + LIFETIME_MS)));
      if (answer.kind !== 'ok') throw new Error(failureReason(answer));
      const { expiresAt, saveError } = answer.value;
      setEnd(expiresAt);
      const token = { accessToken: inUse, expiresAt };
      try {
        if (saveError !== undefined) throw saveError;
        tokens.write(token);
      } catch (error) {
        warn(unsavedText(error));
        saveLater(token);
      }
    });
  }

  /** Repeats until the token is saved, or another one is in use. */
  function saveLater(token: StoredToken): void {
    timers.at(millis(machine.now() + SAVE_RETRY_MS), 'timer', () => {
      if (inUse !== token.accessToken) return;
      tokens
        .withLock(async () => tokens.write(token))
        .then(
          () => warn('The renewed access token is saved now'),
          () => saveLater(token),
        );
    });
  }

  return {
    newerToken(refused) {
      const token = newer();
      if (token === undefined) reportRefused(refused);
      return token;
    },
    save(accessToken) {
      inUse = accessToken;
      stored.note(accessToken);
      tokens.write({ accessToken, expiresAt: '' });
    },
    start(kept) {
      client = kept;
      if (end !== undefined && machine.now() >= end - WARNED_DAYS[0] * DAY_MS) renewIfDue();
      else planOrReadEnd();
      return () => timers.end();
    },
  };
}

function refusedText(path: string): string {
  return `The broker refuses the access token (401003): it has ended or was replaced, and no newer one is in ${path}. Nothing can be ordered, cancelled or read. Create a token at the broker, set SLUICE_ACCESS_TOKEN to it, and start the bot again`;
}

function unsavedText(error: unknown): string {
  return `The renewed access token could not be saved: ${textOf(error)}\n  The broker has ended the old one, so the bot uses the new one from memory and tries to save it every minute. If the bot ends before that, create a token at the broker and set SLUICE_ACCESS_TOKEN to it`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
