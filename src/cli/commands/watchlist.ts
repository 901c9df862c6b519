import type { Command } from 'commander';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { UpdateFlags } from '../broker/change-watchlist.ts';
import type { CommandContext, CommandRegistration } from '../command-context.ts';
import { type BrokerFlags, httpOptions } from '../options/broker-options.ts';
import { symbols } from '../options/option-values.ts';

/** `sluice watchlist ...`: groups of watched securities. */
export const watchlistCommand: CommandRegistration = (program, context) => {
  const watchlist = program.command('watchlist').description('list and change groups of watched securities');
  addList(watchlist, context);
  addCreate(watchlist, context);
  addUpdate(watchlist, context);
  addDelete(watchlist, context);
  addPin(watchlist, context);
};

function addList(watchlist: Command, context: CommandContext): void {
  httpOptions(
    watchlist.command('list', { isDefault: true }).description('list the groups and what is in them'),
  ).action(async (flags: BrokerFlags) => {
    const { withSession } = await import('../broker/broker-session.ts');
    const { watchlistJson, watchlistText } = await import('../output/tables-lists.ts');
    await withSession(flags, context, { needs: 'http' }, async ({ api, ask, print }) => {
      const groups = await ask('read the watchlist', api.http.watchlistGroups({}));
      print({ json: () => watchlistJson(groups), text: () => watchlistText(groups) });
    });
  });
}

function addCreate(watchlist: Command, context: CommandContext): void {
  httpOptions(watchlist.command('create').description('make a group'))
    .argument('<name>', 'name of the group')
    .argument('[symbols...]', 'what to put in', symbols)
    .action(async (name: string, members: readonly SecuritySymbol[], flags: BrokerFlags) => {
      const { withSession } = await import('../broker/broker-session.ts');
      await withSession(flags, context, { needs: 'http' }, async ({ api, ask, print }) => {
        const id = await ask('create the group', api.http.createGroup({ name, symbols: [...members] }));
        print({ json: () => ({ id }), text: () => `Created group ${id}\n` });
      });
    });
}

function addUpdate(watchlist: Command, context: CommandContext): void {
  httpOptions(watchlist.command('update').description('rename a group, or change what is in it'))
    .argument('<group>', 'id of the group')
    .option('--name <name>', 'new name')
    .option('--add <symbols...>', 'put these in', symbols)
    .option('--remove <symbols...>', 'take these out', symbols)
    .option('--replace <symbols...>', 'have these and no others', symbols)
    .action(async (id: string, flags: UpdateFlags) => {
      const { updateGroup } = await import('../broker/change-watchlist.ts');
      await updateGroup(id, flags, context);
    });
}

function addDelete(watchlist: Command, context: CommandContext): void {
  httpOptions(watchlist.command('delete').description('delete a group'))
    .argument('<group>', 'id of the group')
    .option('--purge', 'stop watching its securities in every other group too')
    .action(async (id: string, flags: BrokerFlags & { readonly purge?: boolean }) => {
      const { deleteGroup } = await import('../broker/change-watchlist.ts');
      await deleteGroup(id, flags, context);
    });
}

function addPin(watchlist: Command, context: CommandContext): void {
  httpOptions(watchlist.command('pin').description('pin securities to the top of their groups'))
    .argument('<symbols...>', 'what to pin', symbols)
    .option('--remove', 'let go of them instead')
    .action(async (wanted: readonly SecuritySymbol[], flags: BrokerFlags & { readonly remove?: boolean }) => {
      const { pinSymbols } = await import('../broker/change-watchlist.ts');
      await pinSymbols(wanted, flags, context);
    });
}
