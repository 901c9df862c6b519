import type { Price } from '../../model/decimal.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';

/** Maximum number of groups per account. @see ADR 0019 */
const GROUPS_MAX = 100;

const MEMBERS_MAX = 500;

/** A watched symbol, with the time and price at which watching began. */
export interface Watched {
  readonly symbol: SecuritySymbol;
  readonly at: Millis;
  readonly price: Price | undefined;
}

export interface WatchGroup {
  readonly id: string;
  readonly name: string;
  readonly members: readonly SecuritySymbol[];
}

/** Why a change failed; a failed change leaves the lists unchanged. */
export interface WatchProblem {
  readonly problem: string;
}

/** The group of all watched symbols; it cannot be renamed, edited or removed. */
const ALL_GROUP_ID = '1';

/** One account's watchlist: groups in order of creation, members in the order given. */
export class Watchlists {
  readonly #watched = new Map<SecuritySymbol, Watched>();
  readonly #pinned = new Set<SecuritySymbol>();
  #groups: readonly WatchGroup[] = [];
  #lastId = 5_000;

  /** Returns the group of all symbols, then the account's own groups. */
  groups(): readonly WatchGroup[] {
    return [{ id: ALL_GROUP_ID, name: 'all', members: [...this.#watched.keys()] }, ...this.#groups];
  }

  watched(symbol: SecuritySymbol): Watched | undefined {
    return this.#watched.get(symbol);
  }

  isPinned(symbol: SecuritySymbol): boolean {
    return this.#pinned.has(symbol);
  }

  create(name: string, members: readonly Watched[]): { readonly id: string } | WatchProblem {
    if (name === '') return { problem: 'name: is empty' };
    if (this.#groups.length >= GROUPS_MAX) return { problem: `want at most ${GROUPS_MAX} groups` };
    this.#lastId += 1;
    const id = String(this.#lastId);
    this.#groups = [...this.#groups, { id, name, members: [...new Set(this.#watch(members))] }];
    return { id };
  }

  update(
    id: string,
    change: {
      readonly name?: string;
      readonly members?: {
        readonly mode: 'add' | 'remove' | 'replace';
        readonly symbols: readonly Watched[];
      };
    },
  ): WatchProblem | undefined {
    const group = this.#groups.find((each) => each.id === id);
    if (group === undefined) return { problem: noSuchGroup(id) };
    const named = new Set(change.members?.symbols.map((each) => each.symbol));
    const wanted =
      change.members === undefined ? group.members : merged(group.members, named, change.members.mode);
    if (wanted.length > MEMBERS_MAX) return { problem: `securities: want at most ${MEMBERS_MAX} in a group` };
    if (change.members !== undefined && change.members.mode !== 'remove') this.#watch(change.members.symbols);
    const changed = { ...group, name: change.name ?? group.name, members: wanted };
    this.#groups = this.#groups.map((each) => (each.id === id ? changed : each));
    return undefined;
  }

  /** Removes a group; `purge` also stops watching its members in all groups. */
  remove(id: string, purge: boolean): WatchProblem | undefined {
    const group = this.#groups.find((each) => each.id === id);
    if (group === undefined) return { problem: noSuchGroup(id) };
    this.#groups = this.#groups.filter((each) => each.id !== id);
    if (!purge) return undefined;
    const gone = new Set(group.members);
    for (const symbol of gone) {
      this.#watched.delete(symbol);
      this.#pinned.delete(symbol);
    }
    this.#groups = this.#groups.map((each) => ({
      ...each,
      members: each.members.filter((one) => !gone.has(one)),
    }));
    return undefined;
  }

  pin(mode: 'add' | 'remove', symbols: readonly SecuritySymbol[]): WatchProblem | undefined {
    const unwatched = symbols.find((symbol) => !this.#watched.has(symbol));
    if (unwatched !== undefined) return { problem: `securities: "${unwatched}" is in no group` };
    for (const symbol of symbols) {
      if (mode === 'add') this.#pinned.add(symbol);
      else this.#pinned.delete(symbol);
    }
    return undefined;
  }

  #watch(members: readonly Watched[]): readonly SecuritySymbol[] {
    for (const member of members)
      if (!this.#watched.has(member.symbol)) this.#watched.set(member.symbol, member);
    return members.map((member) => member.symbol);
  }
}

function merged(
  members: readonly SecuritySymbol[],
  named: ReadonlySet<SecuritySymbol>,
  mode: 'add' | 'remove' | 'replace',
): readonly SecuritySymbol[] {
  switch (mode) {
    case 'add':
      return [...new Set([...members, ...named])];
    case 'remove':
      return members.filter((member) => !named.has(member));
    case 'replace':
      return [...named];
  }
}

function noSuchGroup(id: string): string {
  return id === ALL_GROUP_ID ? 'id: the group of all cannot be changed' : `id: no group has id "${id}"`;
}
