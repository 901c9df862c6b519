import type { SecuritySymbol } from '../../model/symbol.ts';
import type { SocketConnection } from '../server/socket-connection.ts';

/** Subscription types: 1 quotes, 2 depth, 3 brokers, 4 trades. */
export const SUB_TYPES = [1, 2, 3, 4] as const;
export type SubTypeNumber = (typeof SUB_TYPES)[number];

/** Subscriptions by connection and symbol; they end with the connection. */
export class Subscriptions {
  readonly #byConnection = new Map<SocketConnection, Map<SecuritySymbol, Set<SubTypeNumber>>>();
  readonly #bySymbol = new Map<SecuritySymbol, Map<SubTypeNumber, Set<SocketConnection>>>();

  add(connection: SocketConnection, symbol: SecuritySymbol, types: readonly SubTypeNumber[]): void {
    const ofConnection = this.#byConnection.get(connection) ?? new Map<SecuritySymbol, Set<SubTypeNumber>>();
    const ofSymbol = this.#bySymbol.get(symbol) ?? new Map<SubTypeNumber, Set<SocketConnection>>();
    this.#byConnection.set(connection, ofConnection);
    this.#bySymbol.set(symbol, ofSymbol);
    for (const type of types) {
      ofConnection.set(symbol, (ofConnection.get(symbol) ?? new Set()).add(type));
      ofSymbol.set(type, (ofSymbol.get(type) ?? new Set()).add(connection));
    }
  }

  remove(connection: SocketConnection, symbol: SecuritySymbol, types: readonly SubTypeNumber[]): void {
    const connections = this.#byConnection.get(connection);
    const own = connections?.get(symbol);
    for (const type of types) {
      own?.delete(type);
      this.#bySymbol.get(symbol)?.get(type)?.delete(connection);
      if (this.#bySymbol.get(symbol)?.get(type)?.size === 0) this.#bySymbol.get(symbol)?.delete(type);
    }
    if (this.#bySymbol.get(symbol)?.size === 0) this.#bySymbol.delete(symbol);
    if (own?.size === 0) connections?.delete(symbol);
  }

  removeConnection(connection: SocketConnection): void {
    for (const symbol of this.symbolsOf(connection)) this.remove(connection, symbol, SUB_TYPES);
    this.#byConnection.delete(connection);
  }

  subscribers(symbol: SecuritySymbol, type: SubTypeNumber): ReadonlySet<SocketConnection> | undefined {
    return this.#bySymbol.get(symbol)?.get(type);
  }

  symbols(): readonly SecuritySymbol[] {
    return [...this.#bySymbol.keys()];
  }

  /** Returns a connection's symbols in order of subscription. */
  symbolsOf(connection: SocketConnection): readonly SecuritySymbol[] {
    return [...(this.#byConnection.get(connection)?.keys() ?? [])];
  }

  typesOf(connection: SocketConnection, symbol: SecuritySymbol): readonly SubTypeNumber[] {
    return [...(this.#byConnection.get(connection)?.get(symbol) ?? [])].toSorted();
  }

  symbolsOfAccount(accountId: string): Set<SecuritySymbol> {
    const symbols = new Set<SecuritySymbol>();
    for (const [connection, own] of this.#byConnection) {
      if (connection.session?.accountId === accountId) for (const symbol of own.keys()) symbols.add(symbol);
    }
    return symbols;
  }
}
