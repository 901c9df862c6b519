import { hasTable } from '../../markets/market-records.ts';
import { marketOf } from '../../model/symbol.ts';
import type { FillModel, MarginModel } from '../../simulation/models.ts';
import { DEFAULT_RULES, type SimulationRules } from '../../simulation/rules.ts';
import type { StrategyDefinition } from '../../strategy/define-strategy.ts';
import { hooksOf } from '../../strategy/strategy-facts.ts';
import type { RunSetup } from '../setup.ts';
import { isSupportedAction } from './corporate-actions.ts';

/** Whether the express engine supports each value of a setting. */
type Check<T> = { readonly [K in keyof T]-?: (value: T[K], all: T) => boolean };

const anyValue = (): boolean => true;
const isUnset = (value: unknown): boolean => value === undefined;

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
  from: anyValue,
  to: anyValue,
  currency: anyValue,
  cash: (cash, { currency }) => Object.keys(cash).length === 1 && cash[currency]?.gt(0) === true,
  fx: anyValue,
  // A single currency needs no rates.
  fxSeries: anyValue,
  charges: ({ rows }) => rows.every(({ rounding }) => rounding !== 'exact'),
  margin: (margin) => isSupported(MARGIN, margin),
  short: anyValue,
  rules: (rules = DEFAULT_RULES) => isSupported(RULES, rules),
  corporateActions: (actions = [], setup) => actions.every((action) => isSupportedAction(action, setup)),
  unapplied: anyValue,
  columnCache: anyValue,
  bidAsk: (quotes = []) => quotes.length === 0,
  outsideHours: anyValue,
  seed: anyValue,
  config: anyValue,
  strategy: (strategy) =>
    isSupported(STRATEGY, strategy) && [...hooksOf(strategy)].every((kind) => HANDLED_EVENTS.has(kind)),
  params: anyValue,
  members: isUnset,
  period: anyValue,
  limits: ({ restricted, useMargin }, { margin }) =>
    restricted.length === 0 && useMargin === (margin.kind === 'margin'),
  policy: ({ exclusive, outsideRth }) => exclusive !== true && outsideRth === undefined,
  schedule: anyValue,
  operator: anyValue,
  onlyDocumented: (value) => value !== true,
  ownRules: (rules = []) => rules.length === 0,
};

const HANDLED_EVENTS: ReadonlySet<string> = new Set([
  'signal',
  'bar',
  'bars',
  'fill',
  'timer',
  'order',
  'start',
]);

const STRATEGY: Check<StrategyDefinition> = {
  name: anyValue,
  doc: anyValue,
  params: anyValue,
  signals: anyValue,
  targets: anyValue,
  exits: anyValue,
  state: anyValue,
  timers: anyValue,
  onSignal: anyValue,
  onBar: anyValue,
  onQuote: isUnset,
  onFill: anyValue,
  onOrder: anyValue,
  onTimer: anyValue,
  onBars: anyValue,
  onStart: anyValue,
  onStop: isUnset,
};

const MARGIN: Check<MarginModel> = {
  kind: anyValue,
  cover: (cover) => cover === 'reserved',
  shortfall: (shortfall) => shortfall === 'reject',
  closeOut: (closeOut) => closeOut === 'none',
  settledOnly: (settledOnly) => !settledOnly,
  financeMultiple: anyValue,
  marketBuffer: anyValue,
  marketBufferElse: anyValue,
};

const FILLS: Check<FillModel> = {
  path: anyValue,
  matching: ({ kind }) => kind === 'prints',
  hours: (hours) => hours === 'calendar',
  sessions: (sessions = 'regular') => sessions === 'regular',
  emptyBars: anyValue,
  limitFills: (limitFills = 'touch') => limitFills === 'touch',
  insideBars: (insideBars = 'close') => insideBars === 'close',
  participation: anyValue,
  own: isUnset,
  slippage: anyValue,
  splitOrders: anyValue,
  checkTicks: anyValue,
  checkLots: anyValue,
};

const RULES: Check<SimulationRules> = {
  fills: (fills) => isSupported(FILLS, fills),
  latency: ({ kind }) => kind === 'none',
  cover: anyValue,
  shorting: anyValue,
  corporateActions: anyValue,
  dividendTax: anyValue,
  bidAsk: anyValue,
  commission: anyValue,
  interest: anyValue,
  operator: anyValue,
};

/** Returns whether the express engine may run a setup: default rules, on an account with one currency. */
export function isEligible(setup: RunSetup): boolean {
  return isSupported(SETUP, setup);
}

function isSupported<T extends object>(checks: Check<T>, value: T): boolean {
  return (Object.keys(checks) as (keyof T)[]).every((name) => checks[name](value[name], value));
}
