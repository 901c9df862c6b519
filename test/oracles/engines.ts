import { commissionRow } from '#src/markets/charge-schedules.ts';
import type { ChargeSchedule } from '#src/markets/charges.ts';
import { Decimal, ZERO } from '#src/model/decimal.ts';
import type { MarginFactors } from '#src/model/security.ts';
import {
  CASH_ACCOUNT,
  type CoverRule,
  NO_LATENCY,
  PRINT_FILLS,
  type WholeBars,
} from '#src/simulation/models.ts';
import type { SimulationModels } from '#src/simulation/simulation-options.ts';
import type { Meeting } from './meetings.ts';
import type { Oracle, OracleAccount } from './oracle-file.ts';

/**
 * The programs whose runs are replayed, by their assumptions; `accounts` is exact cash accounting without working
 * orders.
 */
export type EngineKind = 'backtesting.py' | 'backtrader' | 'accounts';

/** The program of an oracle; throws RangeError for an unknown one. */
export function engineOf(oracle: Oracle): EngineKind {
  const kind = knownEngine(oracle);
  if (kind !== undefined) return kind;
  const { id, engine } = oracle;
  throw new RangeError(`Cannot replay "${id}": the rules of the engine "${engine.name}" are unknown`);
}

/** The program of an oracle; undefined for an unknown one. */
export function knownEngine({ engine }: Oracle): EngineKind | undefined {
  const name = engine.name.trim().toLowerCase();
  if (/^backtesting(\.py)?\b/.test(name)) return 'backtesting.py';
  if (/^backtrader\b/.test(name)) return 'backtrader';
  if (/\bdecimal accounting\b/.test(name)) return 'accounts';
  return undefined;
}

/** Differences of a program from the one that it resembles. */
export interface Manner {
  /** What its orders are matched against; if not bars alone, funds are not checked. */
  readonly meets: Meeting;
  readonly exits?: WholeBars['exits'];
  readonly billing?: WholeBars['billing'];
}

/** The rules that the oracle of an unknown program may follow: it must agree in full with one of them. */
export const LIKELY_RULES: readonly (Manner & { readonly like: EngineKind; readonly words: string })[] = [
  { like: 'backtrader', meets: 'bars', words: 'of backtrader' },
  { like: 'backtesting.py', meets: 'bars', words: 'of backtesting.py' },
  {
    ...{ like: 'backtesting.py', meets: 'bars', exits: 'next-bar' },
    words: 'of backtesting.py with exits from the bar after the entry on',
  },
  {
    ...{ like: 'backtesting.py', meets: 'bars-and-closes', exits: 'next-bar' },
    words: 'of deals at the close that decides them',
  },
  {
    ...{ like: 'backtrader', meets: 'bars-and-closes' },
    words: 'of deals at the close that decides them, with brackets',
  },
  { like: 'backtrader', meets: 'closes', billing: 'order', words: 'of deals at the next close' },
];

/** The simulation models for an oracle's `execution` and `account`. */
export function modelsOf(
  oracle: Oracle,
  { meets, ...otherwise }: Manner = { meets: 'bars' },
): SimulationModels {
  const { account } = oracle;
  const [rule, cover] = RULES[engineOf(oracle)];
  const matching: WholeBars = {
    ...rule,
    ...otherwise,
    ...(account.hedging === true ? { positions: 'hedged' } : {}),
    ...(meets === 'bars' && tradesOnClose(oracle) ? { atLastClose: LAST_CLOSE[engineOf(oracle)] } : {}),
  };
  const unasked = meets !== 'bars';
  const closeOut = engineOf(oracle) === 'backtesting.py' ? 'equity' : 'none';
  return {
    fills: {
      ...PRINT_FILLS,
      matching: { ...matching, openingSpread: new Decimal(account.spread_rate ?? 0) },
      hours: 'bars',
      emptyBars: 'fill',
      checkTicks: false,
      checkLots: false,
    },
    charges: chargesOf(account),
    latency: NO_LATENCY,
    margin: {
      ...CASH_ACCOUNT,
      kind: unasked || account.margin != null ? 'margin' : 'cash',
      cover: unasked ? 'at-fill' : cover,
      closeOut,
      marketBuffer: {},
      marketBufferElse: new Decimal(1),
    },
  };
}

/** True if market orders fill at the close at which they were sent: the account declares it, or a fill shows it. */
function tradesOnClose(oracle: Oracle): boolean {
  return oracle.account.trade_on_close === true || fillsInSameBar(oracle);
}

/**
 * True if market fills are listed in the bar at whose end their orders were sent, and not in the next one. Fills in
 * the last bar prove nothing (`isMetAgain`).
 */
export function fillsInSameBar({ orders, fills, data }: Oracle): boolean {
  const last = (data[0]?.rows ?? Number.POSITIVE_INFINITY) - 1;
  const sentAt = new Map(
    orders.filter(({ type, by }) => type === 'market' && by !== 'engine').map(({ id, bar }) => [id, bar]),
  );
  return fills.some(({ order, bar }) => order !== null && bar !== last && sentAt.get(order) === bar);
}

/** Margin of a position as a share of its value; almost 0 if funds are not checked. */
export function factorsOf({ account }: Oracle, { meets }: Manner = { meets: 'bars' }): MarginFactors {
  const share = new Decimal(meets === 'bars' ? (account.margin ?? 1) : NEXT_TO_NOTHING);
  return { initial: share, maintenance: share, forced: share };
}

const NEXT_TO_NOTHING = 1e-6;

const NET: WholeBars = {
  kind: 'whole-bars',
  queue: 'submitted',
  positions: 'net',
  exits: 'next-bar',
  stopLimit: 'close-tells',
  openingSpread: ZERO,
  billing: 'part',
};

/** Whether stops that the last close is beyond fill at that close, too; only one of the programs does so. */
const LAST_CLOSE: Readonly<Record<EngineKind, NonNullable<WholeBars['atLastClose']>>> = {
  'backtesting.py': 'market-and-stops',
  backtrader: 'market',
  accounts: 'market',
};

const RULES: Readonly<Record<EngineKind, readonly [matching: WholeBars, cover: CoverRule]>> = {
  'backtesting.py': [
    { ...NET, queue: 'closing-first', positions: 'tranches', exits: 'entry-bar', stopLimit: 'limit-beyond' },
    'at-fill',
  ],
  backtrader: [NET, 'rehearsed'],
  accounts: [NET, 'rehearsed'],
};

function chargesOf({ commission, commission_rate }: OracleAccount): ChargeSchedule {
  return { name: 'oracle', rows: [commissionRow(commissionOf(commission, commission_rate), 'exact')] };
}

function commissionOf(
  commission: OracleAccount['commission'],
  rate: OracleAccount['commission_rate'],
): Parameters<typeof commissionRow>[0] {
  if (commission == null) return { kind: 'percent', rate: new Decimal(rate ?? 0) };
  if (commission.kind === 'percent') return { kind: 'percent', rate: new Decimal(commission.rate) };
  const minimum = commission.minimum_per_order ?? 0;
  return {
    kind: 'per-share',
    perShare: new Decimal(commission.per_share),
    minimum: new Decimal(minimum),
  };
}
