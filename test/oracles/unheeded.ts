import type { Oracle } from './oracle-file.ts';

/** A remark on details of an oracle's account or orders that a replay ignores; empty if there are none. */
export function unheeded({ account, orders, fills }: Oracle): string {
  const ofAccount = Object.entries(account).filter(
    ([name, value]) => (!isEmpty(value) || (value === false && USUAL.has(name))) && !ACCOUNT_NAMES.has(name),
  );
  const ofCommission = Object.entries(account.commission ?? {}).filter(
    ([name, value]) => !isEmpty(value) && !COMMISSION_NAMES.has(name),
  );
  const ofOrders = orders.flatMap((order) =>
    Object.entries(order)
      .filter(([name, value]) => !isEmpty(value) && !ORDER_NAMES.has(name))
      .map(([name]) => `"${name}" of order ${order.id}`),
  );
  const [first] = [
    ...ofAccount.map(([name]) => `"${name}" of the account`),
    ...ofCommission.map(([name]) => `"${name}" of the commission`),
    ...ofOrders,
  ];
  if (first !== undefined) return ` (${first} is nothing that we heed)`;
  const apart = fills.find((fill) =>
    fills.some(({ order, bar }) => order !== null && order === fill.order && bar !== fill.bar),
  );
  return apart === undefined
    ? ''
    : ` (order ${apart.order} fills in several bars: here each fills whole in one)`;
}

/** Whether a value is absent or a default. */
function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === false || value === 0;
}

/** Options at their program's defaults. */
const USUAL: ReadonlySet<string> = new Set(['checksubmit', 'shortcash', 'int2pnl']);

const ACCOUNT_NAMES: ReadonlySet<string> = new Set([
  ...['cash', 'commission_rate', 'spread_rate', 'hedging', 'trade_on_close', 'margin', 'commission'],
  ...['units', 'exclusive_orders', 'finalize_trades', 'currency'],
]);

const COMMISSION_NAMES: ReadonlySet<string> = new Set(['kind', 'rate', 'per_share', 'minimum_per_order']);

const ORDER_NAMES: ReadonlySet<string> = new Set([
  ...[
    'id',
    'bar',
    'submitted',
    'code',
    'side',
    'type',
    'size',
    'units',
    'size_fraction',
    'limit',
    'stop',
    'sl',
    'tp',
  ],
  ...['trail_percent', 'trail_amount', 'valid_until', 'parent', 'closes_trade', 'by', 'status', 'ended_bar'],
  ...['ended_at', 'filled_units', 'rule', 'reason', 'tag'],
]);
