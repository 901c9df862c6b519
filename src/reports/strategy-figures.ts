import Table from 'cli-table3';
import type { RunRecord } from '../events/run-record.ts';
import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import { countText, moneyText } from './format.ts';

/** Results of one of several strategies in a run. */
export interface StrategyFigures {
  readonly name: string;
  /** Orders that passed the gate, and denied ones. */
  readonly orders: number;
  readonly denied: number;
  readonly fills: number;
  /** Fees of its fills by currency, sorted; empty if nothing was filled. */
  readonly fees: readonly { readonly currency: Currency; readonly amount: Decimal }[];
  /** Realized and unrealized profit after fees, in the account's currency; NaN if a price is missing. */
  readonly profit: number;
  readonly quarantined: boolean;
}

export const STRATEGY_DEFINITION =
  'Profit of a strategy: what its fills brought, less what they cost, with what it holds at the last price, after fees; what a flatten or a trade by hand closed of its position is part of it. Orders, fills and fees count its own orders only; interest is of no strategy';

/** Returns the figures of each of several strategies, in the config's order; empty in a run with one. */
function strategyFigures(record: RunRecord): readonly StrategyFigures[] {
  const { strategies = [] } = record;
  if (strategies.length === 0) return [];
  const counts = new Map(strategies.map(({ name }) => [name, newCount()]));
  const owners = new Map<string, Count>();
  for (const [intentId, { strategy }] of record.earlierOrders ?? []) {
    const own = counts.get(strategy ?? '');
    if (own !== undefined) owners.set(intentId, own);
  }
  for (const decision of record.decisions ?? []) {
    if (decision.kind === 'intent-drafted') {
      const own = counts.get(decision.strategy ?? '');
      if (own !== undefined) owners.set(decision.intentId, own);
    } else if (decision.kind === 'intent-armed') add(owners.get(decision.intentId), 'orders');
    else if (decision.kind === 'intent-denied') add(owners.get(decision.intentId), 'denied');
    else if (decision.kind === 'order-filled') {
      const { intentId, currency, fee } = decision.fill;
      const own = owners.get(intentId);
      add(own, 'fills');
      own?.fees.set(currency, (own.fees.get(currency) ?? ZERO).plus(fee));
    }
  }
  return strategies.map(({ name, earned: profit, quarantined }) => {
    const { orders, denied, fills, fees } = counts.get(name) ?? newCount();
    const sums = [...fees].map(([currency, amount]) => ({ currency, amount }));
    const sorted = sums.sort((a, b) => a.currency.localeCompare(b.currency, 'en'));
    return { name, orders, denied, fills, fees: sorted, profit, quarantined };
  });
}

interface Count {
  orders: number;
  denied: number;
  fills: number;
  readonly fees: Map<Currency, Decimal>;
}

function newCount(): Count {
  return { orders: 0, denied: 0, fills: 0, fees: new Map() };
}

function add(count: Count | undefined, what: 'orders' | 'denied' | 'fills'): void {
  if (count !== undefined) count[what] += 1;
}

/** The same as JSON: money as decimal text, profit null if not known. */
export function strategyJson(record: RunRecord) {
  return strategyFigures(record).map(({ fees, profit, ...figures }) => ({
    ...figures,
    fees: fees.map(({ currency, amount }) => ({ currency, amount: amount.toString() })),
    profit: Number.isFinite(profit) ? profit : null,
  }));
}

/** JSON form of a strategy's figures. */
export type StrategyRow = ReturnType<typeof strategyJson>[number];

/** Column headings of a table of strategies. */
export const STRATEGY_HEAD = ['Strategy', 'Orders', 'Denied', 'Fills', 'Fees', 'Profit', 'State'] as const;

/** Formats one strategy's figures for those columns. */
export function strategyCells(row: StrategyRow, currency: Currency): readonly string[] {
  const fees = row.fees.map(({ currency: of, amount }) => moneyText(Number(amount), of)).join(', ');
  return [
    row.name,
    ...[row.orders, row.denied, row.fills].map(countText),
    fees === '' ? '-' : fees,
    row.profit === null ? 'not known' : moneyText(row.profit, currency),
    row.quarantined ? 'failed' : 'at work',
  ];
}

/** Formats a table of several strategies; empty in a run with one. */
export function strategyTable(record: RunRecord): string {
  const rows = strategyJson(record);
  if (rows.length === 0) return '';
  const table = new Table({
    head: [...STRATEGY_HEAD],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'left'],
    wordWrap: true,
  });
  table.push(...rows.map((row) => [...strategyCells(row, record.currency)]));
  return table.toString();
}
