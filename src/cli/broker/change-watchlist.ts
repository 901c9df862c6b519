import { changeWatchlist, type WatchlistChange } from '../../app/broker/change-watchlist.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CommandContext } from '../command-context.ts';
import type { BrokerFlags } from '../options/broker-options.ts';
import { UsageError } from '../usage-error.ts';
import { withSession } from './broker-session.ts';

/** The parsed flags of `sluice watchlist update`. */
export interface UpdateFlags extends BrokerFlags {
  readonly name?: string;
  readonly add?: readonly SecuritySymbol[];
  readonly remove?: readonly SecuritySymbol[];
  readonly replace?: readonly SecuritySymbol[];
}

/** Renames a group, or adds, removes or replaces its members. */
export function updateGroup(id: string, flags: UpdateFlags, context: CommandContext): Promise<void> {
  const { name } = flags;
  const ways = (['add', 'remove', 'replace'] as const).flatMap((mode) => {
    const symbols = flags[mode];
    return symbols === undefined ? [] : [{ mode, symbols: [...symbols] }];
  });
  const check = (): void => {
    if (ways.length > 1)
      throw new UsageError('Cannot update the group: say one of --add, --remove and --replace');
    if (ways.length === 0 && name === undefined)
      throw new UsageError('Cannot update the group: say --name, --add, --remove or --replace');
  };
  return change(flags, context, { kind: 'update', id, name, members: ways[0] }, 'Updated', check);
}

/** Deletes a group. */
export function deleteGroup(
  id: string,
  flags: BrokerFlags & { readonly purge?: boolean },
  context: CommandContext,
): Promise<void> {
  return change(flags, context, { kind: 'delete', id, purge: flags.purge === true }, 'Deleted');
}

/** Pins or unpins securities. */
export function pinSymbols(
  symbols: readonly SecuritySymbol[],
  flags: BrokerFlags & { readonly remove?: boolean },
  context: CommandContext,
): Promise<void> {
  const mode = flags.remove === true ? 'remove' : 'add';
  return change(flags, context, { kind: 'pin', mode, symbols }, mode === 'add' ? 'Pinned' : 'Unpinned');
}

function change(
  flags: BrokerFlags,
  context: CommandContext,
  what: WatchlistChange,
  done: string,
  check: () => void = () => undefined,
): Promise<void> {
  return withSession(flags, context, { needs: 'http', check }, async (session) => {
    await changeWatchlist(session, what);
    session.print({ json: () => ({ kind: 'accepted' }), text: () => `${done}\n` });
  });
}
