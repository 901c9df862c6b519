import type { RunSetup } from '../src/backtest/setup.ts';
import type { ChargeSchedule } from '../src/markets/charges.ts';
import { dayOf } from '../src/markets/sessions.ts';
import type { BarColumns } from '../src/model/bar.ts';
import { rowsOf } from '../src/model/bar-rows.ts';
import { Decimal, decimal } from '../src/model/decimal.ts';
import type { Security } from '../src/model/security.ts';
import { millis } from '../src/model/time.ts';
import { defaultLimits, type RiskLimits } from '../src/risk/limits.ts';
import { CASH_ACCOUNT, type MarginModel } from '../src/simulation/models.ts';
import type { Strategy } from '../src/strategy/define-strategy.ts';
import type { ParamDeclarations, ParamValues } from '../src/strategy/params.ts';

/** Share of the traded amount: 0.1 %. */
export const CHARGE = 0.001;

/** So large that a whole share is less than 1e-9 of it even after 39,000 fills at 0.1 % each. */
export const CASH = 1e31;

const CHARGES: ChargeSchedule = {
  name: 'a thousandth',
  rows: [
    {
      code: 'COMMISSION',
      name: 'Commission',
      category: 'broker',
      basis: { kind: 'percent', rate: new Decimal(CHARGE) },
      rounding: 'cent',
      source: 'docs/performance.md, work W1',
      confidence: 'high',
    },
  ],
};

const HUGE = decimal('1000000000000000').pow(3);

/** Limits that no benchmark reaches; the gate still checks every order against them. */
const WIDE: RiskLimits = {
  ...defaultLimits('USD'),
  maxOrderNotional: { amount: HUGE, currency: 'USD' },
  maxOrderQuantity: HUGE,
  maxPositionWeight: decimal('2'),
  maxPositionQuantity: HUGE,
  maxGrossExposure: decimal('5'),
  maxNetExposure: decimal('5'),
  maxOrderRate: 1_000,
  maxRepeats: 1_000,
  maxOpenOrders: 1_000,
  marginHeadroom: decimal('0'),
  maxDailyLoss: decimal('2'),
  maxDrawdown: decimal('2'),
  maxUnattendedFills: 10_000_000,
};

/** Purchases are paid in full. A market order reserves its cost at the last price, as W1's prices have no gaps. */
const PAID: MarginModel = { ...CASH_ACCOUNT, marketBuffer: {}, marketBufferElse: decimal('1') };

/** Input of a run on the ideal venue: bars of each security, and the configuration of the strategy. */
export interface IdealRun {
  readonly strategy: Strategy;
  readonly params: ParamValues<ParamDeclarations>;
  readonly securities: readonly Security[];
  readonly history: readonly BarColumns[];
  readonly cash?: number;
}

/**
 * A run on the ideal venue: no latency, no call limits, no spread. It is eligible for plain numbers, as every run of
 * ordinary orders is (ADR 0037).
 */
export function idealSetup({ strategy, params, securities, history, cash = CASH }: IdealRun): RunSetup {
  const [bars] = history;
  if (bars === undefined) throw new RangeError('A run wants bars');
  const view = rowsOf(bars).open();
  const edge = (at: number): number => view(at, at + 1).time[0] ?? Number.NaN;
  return {
    config: 'bench',
    strategy,
    params,
    securities,
    period: bars.period,
    history,
    from: dayOf('US', millis(edge(0))),
    to: dayOf('US', millis(edge(bars.length - 1))),
    currency: 'USD',
    cash: { USD: new Decimal(cash) },
    fx: {},
    limits: WIDE,
    policy: { orderType: 'MO', offsetTicks: 0, cancelAfterMs: undefined },
    charges: CHARGES,
    margin: PAID,
    seed: 1,
  };
}
