import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import { problemText } from '#src/config/config-error.ts';
import { readBotConfig } from '#src/config/read-config.ts';
import type { RunRecord } from '#src/events/run-record.ts';
import { CHARGE_SCHEDULES, withCommission } from '#src/markets/charge-schedules.ts';
import { LARGE_CAP_MARGIN } from '#src/markets/margin.ts';
import { calendarDay } from '#src/model/time.ts';
import { marginUnder, securityUnder } from '#src/simulation/rules.ts';
import type { Strategy } from '#src/strategy/define-strategy.ts';
import { corporateActionsOf } from './corporate-events.ts';
import { oracleBars } from './oracle-bars.ts';
import type { Oracle } from './oracle-file.ts';
import { securityOf } from './stage.ts';

/** A strategy of an oracle's rules, and the sections of the YAML that it runs with. */
export interface OwnRun {
  readonly strategy: Strategy;
  readonly params?: Readonly<Record<string, number | boolean>>;
  readonly sections: string;
}

/**
 * Runs a strategy over an oracle's bars and cash, configured by nothing but a YAML. Throws Error when the YAML is not right:
 * then a setting that an oracle names cannot be written.
 */
export function runAsConfigured(
  oracle: Oracle,
  dataFolder: string,
  { strategy, params = {}, sections }: OwnRun,
): RunRecord {
  const history = oracleBars(dataFolder, oracle.data);
  const symbols = history.map(({ symbol }) => symbol);
  const [first] = oracle.data;
  const text = [
    `strategy: ${strategy.name}`,
    `symbols: [${symbols.join(', ')}]`,
    `period: ${history[0]?.period}`,
    `params: ${JSON.stringify(params)}`,
    `account: { currency: USD, cash: { USD: ${oracle.account.cash} } }`,
    `data: { from: ${first?.from.slice(0, 10)}, to: ${first?.to.slice(0, 10)} }`,
    sections,
  ].join('\n');
  const reading = readBotConfig(
    { path: `${oracle.id}.yaml`, text },
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
    from: calendarDay((first?.from ?? '').slice(0, 10)),
    to: calendarDay((first?.to ?? '').slice(0, 10)),
    currency: config.account.currency,
    cash: config.account.cash,
    fx: {},
    charges: commission === undefined ? charges : withCommission(charges, commission),
    margin: marginUnder(rules, config.risk.useMargin),
    short: rules.shorting ?? config.risk.allowShort,
    rules,
    corporateActions: rules.corporateActions ? corporateActionsOf(oracle, dataFolder) : [],
    limits: config.risk,
    policy: config.execution,
    seed: 1,
  };
  return runBacktest(setup);
}
