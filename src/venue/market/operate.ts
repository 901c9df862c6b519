import { decimal } from '../../model/decimal.ts';
import type { AccountAccess } from '../access/account-access.ts';
import type { Watchlists } from '../calls/watchlists.ts';
import type { FaultActions } from '../faults/fault-actions.ts';
import type { Faults } from '../faults/faults.ts';
import type { Operator } from '../server/admin-server.ts';
import type { SocketServer } from '../server/socket-server.ts';
import type { IdempotencyKeys } from '../trading/idempotency-keys.ts';
import type { OrderFactsBook } from '../trading/order-facts.ts';
import type { VenueOptions } from '../venue-options.ts';
import type { RestartableSimulation } from './restartable-simulation.ts';
import type { StateRecord } from './state-file.ts';

export interface OperatorParts {
  readonly options: Pick<VenueOptions, 'accountId' | 'renew' | 'state'>;
  readonly simulation: RestartableSimulation;
  readonly sockets: Pick<SocketServer, 'cut'>;
  readonly faults: Faults;
  readonly faultActions: FaultActions;
  readonly accountAccess: AccountAccess;
  readonly accountIds: readonly string[];
  readonly facts: OrderFactsBook;
  readonly keys: IdempotencyKeys;
  readonly watchlists: Map<string, Watchlists>;
  readonly record: (record: Pick<StateRecord, 'kind' | 'account' | 'body'>) => void;
}

export function createOperator(parts: OperatorParts): Operator {
  const { simulation, sockets, faults, options, accountAccess, accountIds } = parts;
  return {
    faults,
    setFaults(wanted) {
      faults.set(wanted);
      for (const action of faults.actionsNow()) parts.faultActions.perform(action);
    },
    access: () => accountIds.map((account) => ({ account, ...accountAccess.of(account) })),
    setAccess(account, terms) {
      if (account !== undefined && !accountIds.includes(account))
        return { problem: `account: the venue has no account "${account}"` };
      accountAccess.set(account, terms);
      parts.record({ kind: 'access', account: account ?? '', body: JSON.stringify(terms) });
      return {};
    },
    cut: (side) => sockets.cut(side),
    deposit({ account = options.accountId, currency, amount }) {
      const found = simulation.account(account);
      if (found === undefined) return { problem: `account: the venue has no account "${account}"` };
      try {
        found.deposit(currency, decimal(amount));
      } catch (error) {
        if (error instanceof RangeError) return { problem: `currency: ${error.message}` };
        throw error;
      }
      parts.record({ kind: 'deposit', account, body: JSON.stringify({ currency, amount }) });
      return {};
    },
    reset() {
      if (options.renew === undefined)
        return { problem: 'Cannot reset this venue: its market cannot be restarted' };
      const at = simulation.now();
      simulation.restart(options.renew(at));
      parts.facts.clear();
      parts.keys.clear();
      parts.watchlists.clear();
      options.state?.restart(at);
      return {};
    },
  };
}
