import type { SecuritySymbol } from '../../model/symbol.ts';
import type { SocketConnection } from '../server/socket-connection.ts';

/** What a subscription brings: 1 quotes, 2 depth, 3 brokers, 4 trades. */
export const SUB_TYPES = [1, 2, 3, 4] as const;
export type SubTypeNumber = (typeof SUB_TYPES)[number];

/** The subscriptions of each connection by symbol. Subscriptions belong to the connection and end with it. */
export class Subscriptions {
  readonly #byLine = new Map<SocketConnection, Map<SecuritySymbol, Set<SubTypeNumber>>>();
  readonly #bySymbol = new Map<SecuritySymbol, Map<SubTypeNumber, Set<SocketConnection>>>();

  add(line: SocketConnection, symbol: SecuritySymbol, types: readonly SubTypeNumber[]): void {
    const ofLine = this.#byLine.get(line) ?? new Map<SecuritySymbol, Set<SubTypeNumber>>();
    const ofSymbol = this.#bySymbol.get(symbol) ?? new Map<SubTypeNumber, Set<SocketConnection>>();
    this.#byLine.set(line, ofLine);
    this.#bySymbol.set(symbol, ofSymbol);
    for (const type of types) {
      ofLine.set(symbol, (ofLine.get(symbol) ?? new Set()).add(type));
      ofSymbol.set(type, (ofSymbol.get(type) ?? new Set()).add(line));
    }
  }

  remove(line: SocketConnection, symbol: SecuritySymbol, types: readonly SubTypeNumber[]): void {
    const lines = this.#byLine.get(line);
    const own = lines?.get(symbol);
    for (const type of types) {
      own?.delete(type);
      this.#bySymbol.get(symbol)?.get(type)?.delete(line);
      if (this.#bySymbol.get(symbol)?.get(type)?.size === 0) this.#bySymbol.get(symbol)?.delete(type);
    }
    if (this.#bySymbol.get(symbol)?.size === 0) this.#bySymbol.delete(symbol);
    if (own?.size === 0) lines?.delete(symbol);
  }

  forget(line: SocketConnection): void {
    for (const symbol of this.symbolsOf(line)) this.remove(line, symbol, SUB_TYPES);
    this.#byLine.delete(line);
  }

  listeners(symbol: SecuritySymbol, type: SubTypeNumber): ReadonlySet<SocketConnection> | undefined {
    return this.#bySymbol.get(symbol)?.get(type);
  }

  /** Symbols with a subscriber. */
  symbols(): readonly SecuritySymbol[] {
    return [...this.#bySymbol.keys()];
  }

  /** Symbols of a line in the order in which they were subscribed. */
  symbolsOf(line: SocketConnection): readonly SecuritySymbol[] {
    return [...(this.#byLine.get(line)?.keys() ?? [])];
  }

  typesOf(line: SocketConnection, symbol: SecuritySymbol): readonly SubTypeNumber[] {
    return [...(this.#byLine.get(line)?.get(symbol) ?? [])].toSorted();
  }

  /** Everything that an account's lines hear, each symbol once. */
  symbolsOfAccount(accountId: string): Set<SecuritySymbol> {
    const symbols = new Set<SecuritySymbol>();
    for (const [line, own] of this.#byLine) {
      if (line.session?.accountId === accountId) for (const symbol of own.keys()) symbols.add(symbol);
    }
    return symbols;
  }
}
