import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import { problemText } from '#src/config/config-error.ts';
import { readBotConfig } from '#src/config/read-config.ts';
import type { DetailedRecord } from '#src/events/run-record.ts';
import type { BidAskTable } from '#src/market-data/bid-ask.ts';
import { CHARGE_SCHEDULES, withCommission } from '#src/markets/charge-schedules.ts';
import { LARGE_CAP_MARGIN } from '#src/markets/margin.ts';
import type { BarColumns } from '#src/model/bar.ts';
import type { CorporateAction } from '#src/model/corporate-action.ts';
import { calendarDay } from '#src/model/time.ts';
import { marginUnder, securityUnder } from '#src/simulation/rules.ts';
import type { Strategy } from '#src/strategy/define-strategy.ts';
import { corporateActionsOf } from './corporate-events.ts';
import { oracleBars } from './oracle-bars.ts';
import type { Oracle } from './oracle-file.ts';
import { securityOf } from './stage.ts';

/** A strategy with an oracle's rules, and the sections of its YAML. */
export interface OwnRun {
  readonly strategy: Strategy;
  readonly params?: Readonly<Record<string, number | boolean>>;
  readonly sections: string;
  /** Set if it warms up on the bars before the oracle's. */
  readonly past?: boolean;
}

/** The data of a run. */
export interface Past {
  readonly id: string;
  readonly history: readonly BarColumns[];
  readonly from: string;
  readonly to: string;
  readonly cash: number;
  readonly corporateActions: readonly CorporateAction[];
  readonly bidAsk?: readonly BidAskTable[];
}

/** Before every bar. */
const LONG_AGO = '1900-01-01';

/** Runs a strategy over an oracle's bars and cash, configured by a YAML only. Throws as `runOver`. */
export function runAsConfigured(oracle: Oracle, dataFolder: string, run: OwnRun): DetailedRecord {
  const { id, account, data } = oracle;
  const fed = run.past === true ? data.map((each) => ({ ...each, from: LONG_AGO })) : data;
  const [first] = data;
  const past: Past = {
    id,
    history: oracleBars(dataFolder, fed),
    from: (first?.from ?? '').slice(0, 10),
    to: (first?.to ?? '').slice(0, 10),
    cash: account.cash,
    corporateActions: corporateActionsOf(oracle, dataFolder),
  };
  return runOver(past, run);
}

/**
 * Runs a strategy over past data, configured by a YAML only. Throws Error if the YAML is invalid, which means that a
 * setting of the oracle cannot be written.
 */
export function runOver(past: Past, { strategy, params = {}, sections }: OwnRun): DetailedRecord {
  const { history, from, to } = past;
  const symbols = history.map(({ symbol }) => symbol);
  const text = [
    `strategy: ${strategy.name}`,
    `symbols: [${symbols.join(', ')}]`,
    `period: ${history[0]?.period}`,
    `params: ${JSON.stringify(params)}`,
    `account: { currency: USD, cash: { USD: ${past.cash} } }`,
    `data: { from: ${from}, to: ${to} }`,
    sections,
  ].join('\n');
  const reading = readBotConfig(
    { path: `${past.id}.yaml`, text },
    {
      strategies: () => ({ kind: 'ok', params: strategy.params }),
      securities: () => ({ symbols, find: securityOf }),
    },
  );
  if (reading.kind === 'problems') throw new Error(reading.problems.map(problemText).join('\n'));
  const { config } = reading;
  const { rules } = config.simulation;
  const { commission } = rules;
  const charges = CHARGE_SCHEDULES[config.charges];
  const setup: RunSetup = {
    config: config.path,
    strategy,
    params: config.params,
    period: config.period,
    securities: symbols.map((symbol) =>
      securityUnder(rules, { ...securityOf(symbol), margin: LARGE_CAP_MARGIN }),
    ),
    history,
    from: calendarDay(from),
    to: calendarDay(to),
    currency: config.account.currency,
    cash: config.account.cash,
    fx: {},
    charges: commission === undefined ? charges : withCommission(charges, commission),
    margin: marginUnder(rules, config.risk.useMargin),
    short: rules.shorting ?? config.risk.allowShort,
    rules,
    corporateActions: rules.corporateActions ? past.corporateActions : [],
    bidAsk: rules.bidAsk ? (past.bidAsk ?? []) : [],
    limits: config.risk,
    policy: config.execution,
    seed: 1,
  };
  return runBacktest(setup, { decisions: true });
}
