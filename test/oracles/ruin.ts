import type { Oracle, OracleFill, OracleOpenTrade, OracleTrade } from './oracle-file.ts';

/**
 * An oracle whose equity was used up, with everything closed at that price: its program closes only every second
 * trade then, writes the equity off and leaves the rest in its list. Any other oracle is unchanged.
 */
export function closedInFull(oracle: Oracle): Oracle {
  const last = oracle.fills.at(-1);
  if (last === undefined || last.order !== null) return oracle;
  const rate = oracle.account.commission_rate ?? 0;
  const left = oracle.open_trades.map((open) => ({
    fill: closing(open, last, rate),
    trade: closed(open, last, rate),
  }));
  const trades = [...oracle.trades, ...left.map(({ trade }) => trade)];
  return {
    ...oracle,
    fills: [...oracle.fills, ...left.map(({ fill }) => fill)],
    trades,
    open_trades: [],
    result: { ...oracle.result, closed_trades: trades.length },
  };
}

function closing({ side, units }: OracleOpenTrade, last: OracleFill, rate: number): OracleFill {
  const commission = rate * units * last.price;
  return { ...last, action: 'close', side: side === 'long' ? 'sell' : 'buy', units, commission };
}

function closed(open: OracleOpenTrade, { bar, price }: OracleFill, rate: number): OracleTrade {
  const { side, units, entry_price = Number.NaN, entry_bar = -1 } = open;
  const gross_pnl = (side === 'long' ? price - entry_price : entry_price - price) * units;
  const commission = rate * units * (price + entry_price);
  return {
    ...{ side, units, entry_bar, entry_price, exit_bar: bar, exit_price: price },
    ...{ gross_pnl, commission, net_pnl: gross_pnl - commission },
  };
}
