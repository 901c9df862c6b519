/**
 * Entry point "@sluice-trading/sluice" for strategy files: everything that a plugin author needs, without side
 * effects.
 */

export type { Bar } from './model/bar.ts';
export { Decimal } from './model/decimal.ts';
export type { Fill } from './model/fill.ts';
export type { Currency } from './model/money.ts';
export type {
  Alarm,
  DayNotice,
  DenialNotice,
  DenialsNotice,
  FillNotice,
  FillsNotice,
  GateNotice,
  NotifyingBot,
  StartNotice,
  StopNotice,
} from './model/notice.ts';
export type { IntentId, OrderTerms, OrderType, OutsideRth, Side, TimeInForce } from './model/order.ts';
export type { Period } from './model/period.ts';
export type { Quote } from './model/quote.ts';
export type { SecuritySymbol } from './model/symbol.ts';
export type { CalendarDay, Millis } from './model/time.ts';

export type { FillModelDefinition, FillModelPlugin } from './plugins/define-fill-model.ts';
export { defineFillModel } from './plugins/define-fill-model.ts';
export type {
  NotifierContext,
  NotifierDefinition,
  NotifierPlugin,
  OptionalSecret,
  SecretDeclarations,
} from './plugins/define-notifier.ts';
export { defineNotifier } from './plugins/define-notifier.ts';
export type {
  ObjectiveDefinition,
  ObjectiveFigures,
  ObjectivePlugin,
  ObjectiveQuestion,
} from './plugins/define-objective.ts';
export { defineObjective } from './plugins/define-objective.ts';
export type { RiskRuleDefinition, RiskRulePlugin } from './plugins/define-risk-rule.ts';
export { defineRiskRule } from './plugins/define-risk-rule.ts';
export type { PassedOrder, RuleQuestion } from './risk/custom-rules.ts';
export type { BarSeries } from './signals/bar-series.ts';
export { either, inverse, when } from './signals/combine.ts';
export type { CrossoverOptions, ThresholdLevels, TieRule } from './signals/cross.ts';
export { crossover, every, first, once, threshold } from './signals/cross.ts';
export type { OwnIndicator } from './signals/custom.ts';
export { defineIndicator } from './signals/custom.ts';
export {
  above,
  absolute,
  add,
  below,
  change,
  constant,
  div,
  lag,
  larger,
  mul,
  smaller,
  sub,
} from './signals/indicators/arithmetic.ts';
export {
  dema,
  ema,
  hma,
  sma,
  t3,
  tema,
  trima,
  vwma,
  wilder,
  wma,
  zlema,
} from './signals/indicators/averages.ts';
export {
  bandWidth,
  bollinger,
  historicalVolatility,
  percentB,
  standardDeviation,
  zScore,
} from './signals/indicators/deviation.ts';
export { adx, adxr, directional, dx, minusDi, plusDi } from './signals/indicators/directional.ts';
export {
  apo,
  cmo,
  cmoSums,
  kama,
  macd,
  macdOwnSeeds,
  momentum,
  ppo,
  roc,
  rocRatio,
  rsi,
  stochasticRsi,
  trix,
  tsi,
} from './signals/indicators/momentum.ts';
export {
  aroon,
  awesomeOscillator,
  cci,
  elderRay,
  meanDeviation,
  stochastic,
  stochasticFast,
  ultimateOscillator,
  vortex,
  williamsR,
} from './signals/indicators/oscillators.ts';
export { balanceOfPower, closeLocation, trueRange } from './signals/indicators/price-bars.ts';
export {
  atr,
  choppiness,
  donchian,
  ichimoku,
  keltner,
  midprice,
  natr,
  superTrend,
} from './signals/indicators/range.ts';
export {
  beta,
  correlation,
  covariance,
  linearRegression,
  linearRegressionAngle,
  linearRegressionForecast,
  linearRegressionIntercept,
  linearRegressionSlope,
  rSquared,
} from './signals/indicators/regression.ts';
export { sar } from './signals/indicators/sar.ts';
export { variance } from './signals/indicators/variance.ts';
export {
  accumulationDistribution,
  chaikinMoneyFlow,
  chaikinOscillator,
  easeOfMovement,
  forceIndex,
  mfi,
  obv,
  rollingVwap,
  vwap,
} from './signals/indicators/volume.ts';
export { highest, lowest, midpoint, percentRank, sum } from './signals/indicators/windows.ts';
export type { SignalInputs, SignalRecord } from './signals/program.ts';
export type { Series, SeriesRecord, SignalNode } from './signals/series.ts';
export type { Direction, Signal } from './signals/signal.ts';

export type { FillQuestion } from './simulation/own-fills.ts';
export type { PositionView, StrategyContext } from './strategy/context.ts';
export type { HookResult, Remembering, Strategy, StrategyDefinition } from './strategy/define-strategy.ts';
export { defineStrategy } from './strategy/define-strategy.ts';
export type { DistanceTerms, ExitTerms, LevelTerms } from './strategy/exits.ts';
export type { Notional, TradedCurrency } from './strategy/notional.ts';
export type { Numeric } from './strategy/numeric.ts';
export type {
  CancelDraft,
  ChaseDraft,
  ChaseTerms,
  Decision,
  DraftTerms,
  NewFigures,
  OcoDraft,
  OneSymbolDraft,
  OrderByHand,
  OrderDraft,
  OrderDrafts,
  OrderName,
  RebalanceDraft,
  RebalanceTerms,
  ReplaceDraft,
  RiskTerms,
  SizedDraft,
  SlicesDraft,
  TargetNotional,
  TargetRisk,
} from './strategy/order-draft.ts';
export type { ParamDeclaration, ParamDeclarations, ParamValue, ParamValues } from './strategy/params.ts';
export { param } from './strategy/params.ts';
export { ranking } from './strategy/ranking.ts';
export type { SecurityFunctions } from './strategy/security-figures.ts';
export type { PlainData, StateTerms } from './strategy/state.ts';
export type {
  BarEvent,
  BarsEvent,
  FillEvent,
  LifeEvent,
  OrderEvent,
  QuoteEvent,
  TimerEvent,
} from './strategy/strategy-event.ts';
export type { SignalTargets, TargetsOfSignal, TargetWeight } from './strategy/targets.ts';
export type { TimeOfDay, TimerDay, Timers, TimerTerms } from './strategy/timers.ts';
