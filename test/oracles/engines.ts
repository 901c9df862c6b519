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
import type { Oracle, OracleAccount } from './oracle-file.ts';

/** The programs whose runs are replayed, by what they assume; `accounts` is exact cash accounting without orders that wait. */
export type EngineKind = 'backtesting.py' | 'backtrader' | 'accounts';

/** Which program an oracle is of; throws RangeError for one that we know nothing of. */
export function engineOf({ id, engine }: Oracle): EngineKind {
  const name = engine.name.trim().toLowerCase();
  if (/^backtesting(\.py)?\b/.test(name)) return 'backtesting.py';
  if (/^backtrader\b/.test(name)) return 'backtrader';
  if (/\bdecimal accounting\b/.test(name)) return 'accounts';
  throw new RangeError(`Cannot replay "${id}": nobody has told us the rules of the engine "${engine.name}"`);
}

/** The models of our simulation that say what an oracle's `execution` and `account` say. */
export function modelsOf(oracle: Oracle): SimulationModels {
  const { account } = oracle;
  const [rule, cover] = RULES[engineOf(oracle)];
  const matching: WholeBars = account.hedging === true ? { ...rule, positions: 'hedged' } : rule;
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
      kind: account.margin === undefined ? 'cash' : 'margin',
      cover,
      closeOut,
      marketBuffer: {},
      marketBufferElse: new Decimal(1),
    },
  };
}

/** What a position ties up, as a share of its value. */
export function factorsOf({ account }: Oracle): MarginFactors {
  const share = new Decimal(account.margin ?? 1);
  return { initial: share, maintenance: share, forced: share };
}

const NET: WholeBars = {
  kind: 'whole-bars',
  queue: 'submitted',
  positions: 'net',
  exits: 'next-bar',
  stopLimit: 'close-tells',
  openingSpread: ZERO,
  billing: 'part',
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
  rate: number | undefined,
): Parameters<typeof commissionRow>[0] {
  if (commission === undefined) return { kind: 'percent', rate: new Decimal(rate ?? 0) };
  if (commission.kind === 'percent') return { kind: 'percent', rate: new Decimal(commission.rate) };
  const minimum = commission.minimum_per_order ?? 0;
  return {
    kind: 'per-share',
    perShare: new Decimal(commission.per_share),
    minimum: new Decimal(minimum),
  };
}
