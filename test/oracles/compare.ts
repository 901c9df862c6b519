import { readRows } from './csv-bars.ts';
import { engineOf } from './engines.ts';
import { isStampOf } from './oracle-bars.ts';
import type { Oracle, OracleTrade } from './oracle-file.ts';
import type { Replayed } from './replay.ts';
import { resultFigures } from './result-figures.ts';
import { type ClosedTrade, merged, tripsByLot, tripsByNet } from './round-trips.ts';

/** Largest difference that counts as equal, relative to the oracle's figure. */
const TOLERANCE = 1e-9;

/** Rounding error of double arithmetic when two large sums almost cancel, as a share of those sums. */
const CANCELLATION = 1e-12;

/** All differences between a replay and its oracle, fills first; empty if they agree. */
export function* differences(oracle: Oracle, replayed: Replayed, equityFile: string): Generator<string> {
  yield* differentFills(oracle, replayed);
  yield* differentTrades(oracle, replayed);
  yield* differentEquity(replayed, equityFile);
  yield* differentActions(oracle, replayed);
  yield* differentResult(oracle, replayed);
}

type Row = Readonly<Record<string, string | number>>;

function* differentFills(oracle: Oracle, { stage, bars }: Replayed): Generator<string> {
  const code = bars[0]?.symbol ?? '';
  const want = oracle.fills.map((fill) => ({
    bar: fill.bar,
    code: fill.code ?? code,
    side: fill.side,
    units: fill.units,
    price: fill.price,
    commission: fill.commission,
  }));
  const ours = engineOf(oracle) === 'backtesting.py' ? stage.fills : merged(stage.fills);
  const got = ours.map(({ bar, execution, commission }) => ({
    bar,
    code: execution.symbol,
    side: execution.side,
    units: execution.quantity.toNumber(),
    price: execution.price.toNumber(),
    commission: commission.toNumber(),
  }));
  yield* differentRows('fill', want, got);
}

function* differentTrades(oracle: Oracle, replayed: Replayed): Generator<string> {
  const code = replayed.bars[0]?.symbol ?? '';
  const want = oracle.trades.map((trade) => wantedTrade(trade, code));
  const [first = [], ...others] = countings(oracle, replayed).map((trades) => [
    ...differentRows('trade', want, trades.map(tradeRow)),
  ]);
  if (others.every((differences) => differences.length > 0)) yield* first;
  const open = new Map(oracle.open_trades.map((trade) => [trade.code ?? code, 0]));
  for (const { code: held = code, side, units } of oracle.open_trades) {
    open.set(held, (open.get(held) ?? 0) + (side === 'long' ? units : -units));
  }
  const held = new Map(
    replayed.stage.account.positions().map((each) => [String(each.symbol), each.quantity.toNumber()]),
  );
  const most = oracle.fills.reduce((units, fill) => Math.max(units, fill.units), 0);
  for (const each of new Set([...open.keys(), ...held.keys()])) {
    yield* different(`open position in ${each}`, open.get(each) ?? 0, held.get(each) ?? 0, most);
  }
}

/**
 * Closed trades, in every way in which an oracle may count them: the charges of a fill that turns a position round
 * belong to both its trades, shared by units or by the charges of each part.
 */
function countings(oracle: Oracle, replayed: Replayed): readonly (readonly ClosedTrade[])[] {
  if (engineOf(oracle) === 'backtesting.py') return [tripsByLot(oracle, replayed)];
  const { fills } = replayed.stage;
  return [tripsByNet(merged(fills)), tripsByNet(fills)];
}

function wantedTrade(trade: OracleTrade, code: string): Row {
  return {
    entry_bar: trade.entry_bar,
    exit_bar: trade.exit_bar,
    code: trade.code ?? code,
    side: trade.side,
    units: trade.units,
    entry_price: trade.entry_price,
    exit_price: trade.exit_price,
    gross_pnl: trade.gross_pnl,
    commission: trade.commission,
    net_pnl: trade.net_pnl,
  };
}

function tradeRow(trade: ClosedTrade): Row {
  return {
    entry_bar: trade.entryBar,
    exit_bar: trade.exitBar,
    code: trade.code,
    side: trade.side,
    units: trade.units,
    entry_price: trade.entryPrice,
    exit_price: trade.exitPrice,
    gross_pnl: trade.gross,
    commission: trade.commission,
    net_pnl: trade.gross - trade.commission,
  };
}

function* differentEquity({ stage, bars }: Replayed, file: string): Generator<string> {
  const rows = readRows(file, ['timestamp', 'equity']);
  const times = bars[0]?.time ?? new Float64Array();
  yield* different('number of bars', rows.length, stage.equity.length);
  for (const [bar, row] of rows.entries()) {
    const [stamp = '', time = Number.NaN] = [row['timestamp'], times[bar]];
    if (!isStampOf(stamp, time)) yield `stamp of bar ${bar}: want ${stamp}, got ${stampText(time)}`;
    yield* different(
      `equity after bar ${bar} (${row['timestamp']})`,
      row['equity'] === '' ? Number.NaN : Number(row['equity']),
      stage.equity[bar] ?? Number.NaN,
    );
  }
}

function stampText(time: number): string {
  return Number.isFinite(time) ? new Date(time).toISOString() : 'none';
}

/** Dividends and payments for fractions, as far as the oracle lists them. */
function* differentActions(oracle: Oracle, { stage }: Replayed): Generator<string> {
  if (oracle.corporate_actions == null) return;
  const dividends = oracle.corporate_actions.reduce((sum, { cash = 0 }) => sum + cash, 0);
  yield* different('dividends', dividends, balanceOf('dividends', stage));
}

function* differentResult(oracle: Oracle, replayed: Replayed): Generator<string> {
  const { stage, bars } = replayed;
  const trades = countings(oracle, replayed)[0]?.length ?? 0;
  const held = stage.account.positions().reduce((sum, { quantity }) => sum + quantity.toNumber(), 0);
  const got: Readonly<Record<string, number>> = {
    ...resultFigures(oracle.account.cash, bars[0]?.time ?? new Float64Array(), stage.equity),
    closed_trades: trades,
    final_cash: -balanceOf('cash', stage),
    commissions: -balanceOf('charges', stage),
    dividends: balanceOf('dividends', stage),
    final_units: held,
  };
  for (const [name, figure] of Object.entries(got)) {
    const want = oracle.result[name];
    if (typeof want === 'number') yield* different(name, want, figure, scaleOf(name, oracle));
  }
}

const RATIOS: ReadonlySet<string> = new Set(['total_return', 'max_drawdown', 'sharpe_252']);
const COUNTS: ReadonlySet<string> = new Set(['daily_returns', 'closed_trades']);

/** The scale of a difference: 1 for a ratio, the run's opening cash for an amount. Counts must be equal. */
function scaleOf(name: string, { account, fills }: Oracle): number {
  if (COUNTS.has(name)) return 0;
  if (RATIOS.has(name)) return 1;
  return name === 'final_units' ? Math.max(0, ...fills.map(({ units }) => units)) : account.cash;
}

/** The credit balance of an account in the books (income is positive). */
function balanceOf(account: string, stage: Replayed['stage']): number {
  return stage.account
    .books()
    .reduce((sum, entry) => sum - (entry.account === account ? entry.amount.toNumber() : 0), 0);
}

function* differentRows(what: string, want: readonly Row[], got: readonly Row[]): Generator<string> {
  const ordered = (rows: readonly Row[]): readonly Row[] => rows.toSorted(byRow);
  const [wanted, made] = [ordered(want), ordered(got)];
  for (const [place, row] of wanted.entries()) {
    const mine = made[place];
    if (mine === undefined) {
      yield `${what} ${place + 1}: want ${textOf(row)}, got none`;
      return;
    }
    const scale = Math.abs(Number(row['units']) * Number(row['price'] ?? row['entry_price']));
    for (const [field, value] of Object.entries(row)) {
      const got = mine[field];
      const same =
        typeof value === 'number' && typeof got === 'number' ? isClose(value, got, scale) : value === got;
      if (!same)
        yield `${what} ${place + 1}, ${field}: want ${value}, got ${got} (want ${textOf(row)}, got ${textOf(mine)})`;
    }
  }
  const extra = made[wanted.length];
  if (extra !== undefined) yield `${what} ${wanted.length + 1}: want none, got ${textOf(extra)}`;
}

/** Order of rows that both sides share, whatever their numbering: by their first columns, then by units. */
function byRow(one: Row, other: Row): number {
  for (const [field, value] of Object.entries(one)) {
    const against = other[field];
    if (typeof value === 'number' && typeof against === 'number' && !isClose(value, against, 0))
      return value - against;
    if (typeof value === 'string' && typeof against === 'string' && value !== against)
      return value < against ? -1 : 1;
  }
  return 0;
}

function textOf(row: Row): string {
  return Object.entries(row)
    .map(([field, value]) => `${field} ${value}`)
    .join(', ');
}

function* different(what: string, want: number, got: number, scale = 0): Generator<string> {
  if (!isClose(want, got, scale)) yield `${what}: want ${want}, got ${got}`;
}

function isClose(want: number, got: number, scale: number): boolean {
  const gap = Math.abs(want - got);
  return gap <= TOLERANCE * Math.abs(want) || gap <= CANCELLATION * scale;
}
