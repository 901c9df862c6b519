import type { AccountBalance, BuyLimit, Position } from '../../model/account.ts';
import type { Decimal } from '../../model/decimal.ts';
import { parseOptionSymbol } from '../../model/option-symbol.ts';
import type { MarginFactors } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { moneyText } from '../../reports/format.ts';
import { facts, figure, sharesText, table } from './tables.ts';

const RISK_LEVELS = ['safe', 'medium', 'early warning', 'danger'];

/** The account: what it is worth, what it may spend, and its cash by currency. */
export function accountText(balances: readonly AccountBalance[]): string {
  return balances.length === 0 ? 'The venue names no balance.\n' : balances.map(balanceText).join('\n');
}

function balanceText(balance: AccountBalance): string {
  const money = (amount: Decimal): string => moneyText(amount, balance.currency);
  const sums = facts([
    ['Equity', money(balance.equity)],
    ['Cash', money(balance.totalCash)],
    ['Buy power', money(balance.buyPower)],
    ['Init margin', money(balance.initMargin)],
    ['Maintenance margin', money(balance.maintenanceMargin)],
    ['Margin call', money(balance.marginCall)],
    ['Financing left', money(balance.remainingFinance)],
    ['Financing limit', money(balance.maxFinance)],
    ['Risk', RISK_LEVELS[balance.riskLevel] ?? String(balance.riskLevel)],
    ...balance.frozenFees.map((fee) => ['Frozen fees', moneyText(fee.amount, fee.currency)] as const),
  ]);
  if (balance.cash.length === 0) return sums;
  const cash = table(
    [{ head: 'cash' }, ...['available', 'frozen', 'settling', 'withdrawable'].map(figures)],
    balance.cash.map((each) => [
      each.currency,
      ...[each.available, each.frozen, each.settling, each.withdrawable].map((amount) => grouped(amount)),
    ]),
  );
  return `${sums}\n${cash}`;
}

const figures = (head: string) => ({ head, align: 'right' }) as const;

function grouped(amount: Decimal): string {
  return moneyText(amount, '').trimEnd();
}

/** What is held. */
export function positionsText(positions: readonly Position[]): string {
  if (positions.length === 0) return 'No positions.\n';
  return table(
    [
      { head: 'symbol' },
      ...['quantity', 'free to sell', 'before today', 'average cost'].map(figures),
      { head: 'currency' },
    ],
    positions.map((position) => [
      position.symbol,
      sharesText(position.quantity),
      sharesText(position.available),
      sharesText(position.initial),
      figure(position.averageCost),
      position.currency,
    ]),
  );
}

/** The most that the venue lets us buy now. */
export function buyLimitText(symbol: SecuritySymbol, limit: BuyLimit): string {
  const unit = parseOptionSymbol(symbol) === undefined ? 'shares' : 'contracts';
  return facts([
    ['With cash', `${sharesText(limit.cash)} ${unit}`],
    ['On margin', `${sharesText(limit.margin)} ${unit}`],
  ]);
}

/** Share of market value that must be covered. */
export function marginText(symbol: SecuritySymbol, factors: MarginFactors): string {
  const percent = (share: Decimal): string => `${share.times(100).toFixed()}%`;
  return facts([
    ['Symbol', symbol],
    ['To open', percent(factors.initial)],
    ['To keep', percent(factors.maintenance)],
    ['Forced sale below', percent(factors.forced)],
  ]);
}
