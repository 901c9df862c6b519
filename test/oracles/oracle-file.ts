import { readFileSync } from 'node:fs';

/** What an independent engine made of real data: one file of the oracles, by the schema in their README. */
export interface Oracle {
  readonly schema: number;
  readonly id: string;
  readonly engine: { readonly name: string };
  readonly data: readonly OracleData[];
  readonly events?: readonly { readonly file: string }[] | null;
  readonly account: OracleAccount;
  readonly execution: Readonly<Record<string, string>>;
  readonly orders: readonly OracleOrder[];
  readonly fills: readonly OracleFill[];
  readonly trades: readonly OracleTrade[];
  readonly open_trades: readonly OracleOpenTrade[];
  readonly corporate_actions?: readonly OracleAction[];
  readonly result: Readonly<Record<string, unknown>>;
  readonly equity_csv: string;
}

export interface OracleData {
  readonly code: string;
  readonly file: string;
  readonly rows: number;
  readonly from: string;
  readonly to: string;
}

/** Rates and sums are in the account's only currency. */
export interface OracleAccount {
  readonly cash: number;
  readonly commission_rate?: number;
  readonly spread_rate?: number;
  readonly hedging?: boolean;
  /** Share of a position's value that ties up equity; 1 when absent. */
  readonly margin?: number;
  readonly commission?:
    | { readonly kind: 'percent'; readonly rate: number }
    | { readonly kind: 'per_share'; readonly per_share: number; readonly minimum_per_order?: number | null };
}

type Figure = number | null;

/** A recorded order; fields that an engine does not know are absent or null. */
export interface OracleOrder {
  readonly id: number;
  /** It was sent at the end of this bar. */
  readonly bar: number;
  readonly code?: string;
  readonly side: 'buy' | 'sell';
  readonly type: string;
  readonly size?: Figure;
  readonly units?: Figure;
  readonly size_fraction?: Figure;
  readonly limit?: Figure;
  readonly stop?: Figure;
  readonly sl?: Figure;
  readonly tp?: Figure;
  readonly trail_percent?: Figure;
  readonly valid_until?: string | null;
  readonly parent?: Figure;
  readonly closes_trade?: Figure;
  readonly by?: 'strategy' | 'engine';
  readonly status: string;
  readonly ended_bar?: Figure;
}

export interface OracleFill {
  /** Null for what the engine did without an order, when equity was gone. */
  readonly order: number | null;
  readonly code?: string;
  readonly trade?: number;
  readonly action?: 'open' | 'close';
  readonly bar: number;
  readonly side: 'buy' | 'sell';
  readonly units: number;
  readonly price: number;
  readonly commission: number;
}

export interface OracleTrade {
  readonly code?: string;
  readonly side: 'long' | 'short';
  readonly units: number;
  readonly entry_bar: number;
  readonly exit_bar: number;
  readonly entry_price: number;
  readonly exit_price: number;
  readonly gross_pnl: number;
  readonly commission: number;
  readonly net_pnl: number;
}

export interface OracleOpenTrade {
  readonly code?: string;
  readonly side: 'long' | 'short';
  readonly units: number;
  readonly entry_bar?: number;
  readonly entry_price?: number;
}

export interface OracleAction {
  readonly bar: number;
  readonly type: 'dividend' | 'split';
  readonly cash?: number;
  readonly units_after?: number;
  readonly cash_in_lieu?: number;
}

const PARTS = ['id', 'data', 'account', 'orders', 'fills', 'trades', 'result', 'equity_csv'] as const;

/** Reads one oracle; throws RangeError naming the first part that is missing, or another schema. */
export function readOracle(path: string): Oracle {
  const file: Partial<Oracle> = JSON.parse(readFileSync(path, 'utf8'));
  if (file.schema !== 1) throw new RangeError(`Cannot replay schema ${file.schema} of ${path}, want 1`);
  const missing = PARTS.find((part) => file[part] === undefined);
  if (missing !== undefined) throw new RangeError(`Cannot replay ${path}, it has no "${missing}"`);
  return file as Oracle;
}
