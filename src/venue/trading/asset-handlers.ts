import type { Simulation } from '../../simulation/simulation.ts';
import {
  PAPER_CHANNEL,
  writeAccountBalances,
  writeMarginFactors,
  writePositions,
} from '../../wire/mapper/account.ts';
import { type Handler, ok, refused } from '../calls/call.ts';
import { accountCurrencyBalance, convertedBalance } from './balance-rounding.ts';
import { cashFlowOf } from './cash-flow.ts';
import type { OrderFactsBook } from './order-facts.ts';
import { pageOf } from './page.ts';

export interface AssetParts {
  readonly simulation: Pick<Simulation, 'marginFactors'>;
  readonly facts: OrderFactsBook;
}

const BAD_PARAMETERS = 602001;
const CASH_FLOW_ROWS = 50;

export function assetHandlers({ simulation, facts }: AssetParts) {
  const account: Handler<'account'> = ({ currency }, call) => {
    try {
      const own = call.account.balance();
      const stated =
        currency === undefined || currency === own.currency
          ? accountCurrencyBalance(own)
          : convertedBalance(call.account.balance(currency));
      return ok(writeAccountBalances([stated]));
    } catch (error) {
      if (error instanceof RangeError) return refused(BAD_PARAMETERS, `currency: ${error.message}`);
      throw error;
    }
  };

  const positions: Handler<'positions'> = ({ symbols }, call) => {
    const held = call.account.positions(symbols.length === 0 ? undefined : symbols);
    const nameOf = (symbol: (typeof held)[number]['symbol']): string => facts.nameOf(symbol, call.language);
    return ok(writePositions(held, { channel: PAPER_CHANNEL, nameOf }));
  };

  const marginRatio: Handler<'marginRatio'> = ({ symbol }) => {
    const factors = simulation.marginFactors(symbol);
    if (factors !== undefined) return ok(writeMarginFactors(factors));
    return refused(BAD_PARAMETERS, `symbol: "${symbol}" is not listed here`);
  };

  const cashFlow: Handler<'cashFlow'> = (query, call) => {
    const nameOf = (symbol: Parameters<typeof facts.nameOf>[0]): string =>
      facts.nameOf(symbol, call.language);
    const rows = cashFlowOf(call.account, query, nameOf);
    return ok({ list: pageOf(rows, query.page, query.size ?? CASH_FLOW_ROWS).rows });
  };

  return { account, positions, marginRatio, cashFlow, funds };
}

/** The venue sells no funds. */
const funds: Handler<'funds'> = () => ok({ list: [] });
