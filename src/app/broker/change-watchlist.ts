import { firstValueFrom, type Observable } from 'rxjs';
import { BrokerError } from '../../broker/broker-error.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { ChangeAnswer } from '../../ports/broker.ts';
import { failureText } from './api-failure.ts';
import type { OpenedApi } from './open-api.ts';

/** A change of the watchlist. */
export type WatchlistChange =
  | {
      readonly kind: 'update';
      readonly id: string;
      /** Undefined: unchanged. */
      readonly name: string | undefined;
      readonly members:
        | { readonly mode: 'add' | 'remove' | 'replace'; readonly symbols: SecuritySymbol[] }
        | undefined;
    }
  | { readonly kind: 'delete'; readonly id: string; readonly purge: boolean }
  | { readonly kind: 'pin'; readonly mode: 'add' | 'remove'; readonly symbols: readonly SecuritySymbol[] };

/** Changes the watchlist once. Throws BrokerError if the venue refuses, or if the outcome is unknown. */
export async function changeWatchlist(opened: OpenedApi, change: WatchlistChange): Promise<void> {
  const answer = await firstValueFrom(sendChange(opened, change));
  if (answer.kind === 'accepted') return;
  const { venue } = opened;
  const tried = `${change.kind === 'pin' ? 'pin in' : change.kind} the watchlist`;
  const code = answer.kind === 'refused' ? answer.code : 0;
  const isAnswered = answer.kind === 'refused';
  const isInDoubt = answer.kind === 'unknown';
  const look = isInDoubt ? '; look with "sluice watchlist" whether it was done' : '';
  const message = `${answer.message}${look}`;
  throw new BrokerError(
    isInDoubt ? 'no-answer' : answer.kind,
    failureText({ tried, venue, code, message, isAnswered }),
    { endpoint: tried, retryable: false, venueCode: code },
  );
}

function sendChange({ api }: OpenedApi, change: WatchlistChange): Observable<ChangeAnswer> {
  switch (change.kind) {
    case 'update': {
      const name = omitUndefined({ name: change.name });
      const members = omitUndefined({ members: change.members });
      return api.http.updateGroup({ id: change.id, ...name, ...members });
    }
    case 'delete':
      return api.http.deleteGroup({ id: change.id, purge: change.purge });
    case 'pin':
      return api.http.pinSymbols({ mode: change.mode, symbols: [...change.symbols] });
    default:
      return unreachable(change);
  }
}
