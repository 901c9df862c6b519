import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { defined } from '../../wire/schemas/parameter-fields.ts';
import type { OrderFactsBook } from '../trading/order-facts.ts';
import { type CallResult, type Handler, ok, refused } from './call.ts';
import { type Watched, Watchlists, type WatchProblem } from './watchlists.ts';

export interface WatchlistParts {
  readonly simulation: Pick<Simulation, 'now' | 'security' | 'quote'>;
  readonly facts: OrderFactsBook;
  readonly watchlists: Map<string, Watchlists>;
}

const BAD_PARAMETERS = 602001;

/** Creates the handlers of the watchlist groups; each account has its own. */
export function watchlistHandlers({ simulation, facts, watchlists: lists }: WatchlistParts) {
  const listsOf = (accountId: string): Watchlists => {
    const known = lists.get(accountId) ?? new Watchlists();
    lists.set(accountId, known);
    return known;
  };
  const watch = (symbol: SecuritySymbol): Watched => {
    return { symbol, at: simulation.now(), price: simulation.quote(symbol)?.last };
  };
  const unknownSymbolRefusal = (symbols: readonly SecuritySymbol[]): CallResult | undefined => {
    const unknown = symbols.find((symbol) => simulation.security(symbol) === undefined);
    return unknown === undefined
      ? undefined
      : refused(BAD_PARAMETERS, `securities: "${unknown}" is not listed here`);
  };

  const watchlistGroups: Handler<'watchlistGroups'> = (_request, { account, language }) => {
    const own = listsOf(account.id);
    const member = (symbol: SecuritySymbol) => ({
      symbol,
      market: marketOf(symbol),
      name: facts.nameOf(symbol, language),
      watched_price: own.watched(symbol)?.price?.toFixed() ?? '',
      watched_at: String(Math.floor((own.watched(symbol)?.at ?? 0) / SECOND_MS)),
      is_pinned: own.isPinned(symbol),
    });
    return ok({
      groups: own.groups().map(({ id, name, members }) => ({ id, name, securities: members.map(member) })),
    });
  };

  const createGroup: Handler<'createGroup'> = ({ name, symbols }, { account }) => {
    const refusal = unknownSymbolRefusal(symbols);
    if (refusal !== undefined) return refusal;
    const made = listsOf(account.id).create(name, symbols.map(watch));
    return 'problem' in made ? refused(BAD_PARAMETERS, made.problem) : ok({ id: made.id });
  };

  const updateGroup: Handler<'updateGroup'> = ({ id, name, members }, { account }) => {
    const refusal = members?.mode === 'remove' ? undefined : unknownSymbolRefusal(members?.symbols ?? []);
    if (refusal !== undefined) return refusal;
    const changed = members && { mode: members.mode, symbols: members.symbols.map(watch) };
    return outcomeOf(listsOf(account.id).update(id, defined({ name, members: changed })));
  };

  const deleteGroup: Handler<'deleteGroup'> = ({ id, purge }, { account }) =>
    outcomeOf(listsOf(account.id).remove(id, purge));

  const pinSymbols: Handler<'pinSymbols'> = ({ mode, symbols }, { account }) =>
    outcomeOf(listsOf(account.id).pin(mode, symbols));

  return { watchlistGroups, createGroup, updateGroup, deleteGroup, pinSymbols };
}

function outcomeOf(problem: WatchProblem | undefined): CallResult {
  return problem === undefined ? ok({}) : refused(BAD_PARAMETERS, problem.problem);
}
