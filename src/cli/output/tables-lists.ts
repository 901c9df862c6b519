import type { NamedSymbols, WatchedGroups } from '../../app/broker/listing-types.ts';
import type { TokenRenewed } from '../../app/credentials/renew-token.ts';
import { printable } from '../../model/printable.ts';
import { jsonTime } from './json-line.ts';
import { figure, table, timeText } from './tables.ts';

const UNNAMED = '(no name)';

/** Groups of the watchlist with what is in them. */
export function watchlistText(groups: WatchedGroups): string {
  if (groups.length === 0) return 'No groups. Make one with "sluice watchlist create".\n';
  return groups
    .map(({ id, name, securities }) => {
      const columns = [
        { head: 'symbol' },
        { head: 'name', flexible: true },
        { head: 'watched at', align: 'right' },
        { head: 'since (UTC)' },
        { head: 'pinned' },
      ] as const;
      const rows = securities.map((each) => [
        each.symbol,
        each.name,
        figure(each.watchedPrice),
        timeText(each.watchedAt),
        each.isPinned ? 'yes' : '',
      ]);
      const title = table([{ head: 'group' }, { head: 'id' }], [[name === '' ? UNNAMED : name, id]]);
      return rows.length === 0 ? `${title}(empty)\n` : `${title}\n${table(columns, rows)}`;
    })
    .join('\n');
}

/** Groups for programs. */
export function watchlistJson(groups: WatchedGroups) {
  return groups.map((group) => ({
    ...group,
    securities: group.securities.map((each) => ({ ...each, watchedAt: jsonTime(each.watchedAt) })),
  }));
}

/** Securities of a list. */
export function securitiesText(securities: NamedSymbols): string {
  if (securities.length === 0) return 'The list is empty.\n';
  return table(
    [{ head: 'symbol' }, { head: 'name', flexible: true }],
    securities.map(({ symbol, name }) => [symbol, name]),
  );
}

/** The path of a renewed token, never the token itself. */
export function tokenText({ path, expiresAt }: TokenRenewed): string {
  const until = expiresAt === '' ? '' : `, good until ${printable(expiresAt)}`;
  return `Renewed the access token${until}\n  Stored in ${path}\n  Commands in this folder use it while the environment still has the old one, which no longer works elsewhere\n`;
}
