import { hasTable } from '../../markets/market-records.ts';
import { marketOf } from '../../model/symbol.ts';
import type { FillModel, MarginModel } from '../../simulation/models.ts';
import { DEFAULT_RULES, type SimulationRules } from '../../simulation/rules.ts';
import type { StrategyDefinition } from '../../strategy/define-strategy.ts';
import { hooksOf } from '../../strategy/strategy-facts.ts';
import type { RunSetup } from '../setup.ts';
import { isCarried } from './corporate-actions.ts';

/** Whether the express engine supports each value of a setting. */
type Check<T> = { readonly [K in keyof T]-?: (value: T[K], all: T) => boolean };

const anything = (): boolean => true;
const nothing = (value: unknown): boolean => value === undefined;

/** A new field does not compile until it is added here. */
const SETUP: Check<RunSetup> = {
  securities: (securities, { currency }) =>
    securities.length > 0 &&
    new Set(securities.map(({ symbol }) => marketOf(symbol))).size === 1 &&
    securities.every(
      (each) =>
        each.currency === currency &&
        each.tradable &&
        each.multiplier === undefined &&
        each.tick === undefined &&
        each.kind !== 'option' &&
        Number.isInteger(each.lotSize) &&
        each.margin.initial.gt(0) &&
        hasTable(marketOf(each.symbol)),
    ),
  history: (history, { securities }) =>
    history.length === securities.length &&
    history.every((bars, place) => bars.symbol === securities[place]?.symbol),
  from: anything,
  to: anything,
  currency: anything,
  cash: (cash, { currency }) => Object.keys(cash).length === 1 && cash[currency]?.gt(0) === true,
  fx: anything,
  // A single currency needs no rates.
  fxSeries: anything,
  charges: ({ rows }) => rows.every(({ rounding }) => rounding !== 'exact'),
  margin: (margin) => holds(MARGIN, margin),
  short: anything,
  rules: (rules = DEFAULT_RULES) => holds(RULES, rules),
  corporateActions: (actions = [], setup) => actions.every((action) => isCarried(action, setup)),
  unapplied: anything,
  columnCache: anything,
  bidAsk: (quotes = []) => quotes.length === 0,
  outsideHours: anything,
  seed: anything,
  config: anything,
  strategy: (strategy) =>
    holds(STRATEGY, strategy) && [...hooksOf(strategy)].every((kind) => HEARD.has(kind)),
  params: anything,
  members: nothing,
  period: anything,
  limits: ({ restricted, useMargin }, { margin }) =>
    restricted.length === 0 && useMargin === (margin.kind === 'margin'),
  policy: ({ exclusive, outsideRth }) => exclusive !== true && outsideRth === undefined,
  schedule: (schedule = {}) => Object.keys(schedule).length === 0,
  operator: anything,
  onlyDocumented: (value) => value !== true,
  ownRules: (rules = []) => rules.length === 0,
};

const HEARD: ReadonlySet<string> = new Set(['signal', 'bar', 'bars', 'fill', 'timer']);

const STRATEGY: Check<StrategyDefinition> = {
  name: anything,
  doc: anything,
  params: anything,
  signals: anything,
  targets: anything,
  exits: anything,
  state: anything,
  timers: anything,
  onSignal: anything,
  onBar: anything,
  onQuote: nothing,
  onFill: anything,
  onOrder: nothing,
  onTimer: anything,
  onBars: anything,
  onStart: nothing,
  onStop: nothing,
};

const MARGIN: Check<MarginModel> = {
  kind: anything,
  cover: (cover) => cover === 'reserved',
  shortfall: (shortfall) => shortfall === 'reject',
  closeOut: (closeOut) => closeOut === 'none',
  settledOnly: (settledOnly) => !settledOnly,
  financeMultiple: anything,
  marketBuffer: anything,
  marketBufferElse: anything,
};

const FILLS: Check<FillModel> = {
  path: anything,
  matching: ({ kind }) => kind === 'prints',
  hours: (hours) => hours === 'calendar',
  sessions: (sessions = 'regular') => sessions === 'regular',
  emptyBars: anything,
  limitFills: (limitFills = 'touch') => limitFills === 'touch',
  insideBars: (insideBars = 'close') => insideBars === 'close',
  participation: anything,
  own: nothing,
  slippage: anything,
  splitOrders: anything,
  checkTicks: anything,
  checkLots: anything,
};

const RULES: Check<SimulationRules> = {
  fills: (fills) => holds(FILLS, fills),
  latency: ({ kind }) => kind === 'none',
  cover: anything,
  shorting: anything,
  corporateActions: anything,
  dividendTax: anything,
  bidAsk: anything,
  commission: anything,
  interest: anything,
  operator: anything,
};

/** Returns whether the express engine may run a setup: default rules, on an account with one currency. */
export function isEligible(setup: RunSetup): boolean {
  return holds(SETUP, setup);
}

function holds<T extends object>(checks: Check<T>, value: T): boolean {
  return (Object.keys(checks) as (keyof T)[]).every((name) => checks[name](value[name], value));
}
