import { firstValueFrom, type Observable } from 'rxjs';
import type { RenewedToken } from '../../broker/socket/token-renewal.ts';
import { DAY_MS, type Millis, millis } from '../../model/time.ts';
import type { Answer } from '../../ports/broker.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { daysLeft, endOf, endsSoon, WARNED_DAYS } from './credentials-in-force.ts';
import type { TokenFile } from './token-file.ts';

/** What a token is kept fresh with. */
export interface TokenKeeping {
  readonly tokens: TokenFile;
  /** When the token in use expires; undefined if unknown: then it is only renewed by hand. */
  readonly expiresAt: Millis | undefined;
  readonly machine: Clock;
  /** Has the venue replace the token, wanted until an instant; saves and uses the new one before it emits. */
  readonly renew: (expiresAt: Millis) => Observable<Answer<RenewedToken>>;
  readonly warn: (text: string) => void;
}

/** How long a new token is wanted for. @see docs/wire-protocol.md, "Calls" */
const LIFE_MS = 90 * DAY_MS;

/**
 * Renews the token while it has 14 days left, and tries again every day when that fails; every failure raises an alarm,
 * and at 14, 7, 3 and 1 days before the end. Two processes of one project never renew at once. Returns what ends it.
 * @see docs/reliability.md, I-19
 */
export function keepToken({ tokens, expiresAt, machine, renew, warn }: TokenKeeping): Cancel {
  let end = expiresAt;
  let warned: number = Number.POSITIVE_INFINITY;
  let isOver = false;
  let cancel: Cancel = () => undefined;

  function plan(): void {
    if (isOver || end === undefined) return;
    const now = machine.now();
    const first = end - WARNED_DAYS[0] * DAY_MS;
    cancel = machine.at(millis(Math.max(first, now + (now >= first ? DAY_MS : 0))), 'timer', () => attend());
  }

  function attend(): void {
    if (end === undefined) return;
    tellOfEnd(end);
    renewNow()
      .catch((error: unknown) =>
        warn(`The access token was not renewed: ${error instanceof Error ? error.message : String(error)}`),
      )
      .finally(plan);
  }

  /** Once per mark that was passed. */
  function tellOfEnd(until: Millis): void {
    const left = daysLeft(until, machine.now());
    const mark = WARNED_DAYS.findLast((days) => left <= days);
    if (mark === undefined || mark >= warned) return;
    warned = mark;
    warn(endsSoon(until, machine.now()));
  }

  function renewNow(): Promise<void> {
    return tokens.alone(async () => {
      const answer = await firstValueFrom(renew(millis(machine.now() + LIFE_MS)));
      if (answer.kind !== 'ok') throw new Error(`${answer.code}, ${answer.message}`);
      const stored = tokens.read();
      if (stored !== undefined) tokens.write({ ...stored, expiresAt: answer.value.expiresAt });
      end = endOf(answer.value.expiresAt);
      warned = Number.POSITIVE_INFINITY;
    });
  }

  if (end !== undefined && machine.now() >= end - WARNED_DAYS[0] * DAY_MS) attend();
  else plan();
  return () => {
    isOver = true;
    cancel();
  };
}
