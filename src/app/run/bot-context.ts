import type { PaperSetup } from '../../backtest/setup.ts';
import type { KillMarkReader } from '../../execution/gate/restrictions.ts';
import type { ExecutionPolicy } from '../../execution/orders/order-style.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { CallBudget } from '../../ports/call-budget.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import type { Activity } from '../clock/activity.ts';
import type { MarketClock } from '../clock/market-clock.ts';
import type { SteppedInbox } from '../clock/stepped-inbox.ts';
import type { PluginHosts } from '../plugins/plugin-hosts.ts';
import type { ConnectionStops } from './connection-stops.ts';
import type { PaperOptions } from './run-options.ts';
import type { TradingDependencies } from './trading-dependencies.ts';

/** Parts from which the broker client and the engine of a bot are created. */
export interface BotContext {
  readonly options: PaperOptions;
  readonly dependencies: TradingDependencies;
  readonly symbols: readonly SecuritySymbol[];
  readonly market: MarketClock;
  /** Counts work in progress, so that a stepped market waits for it. */
  readonly activity: Activity;
  /** Holds hints and quotes of a stepped market until their step; undefined if market time does not wait. */
  readonly inbox: SteppedInbox | undefined;
  readonly hosts: PluginHosts;
  readonly killMark: KillMarkReader;
  readonly stops: ConnectionStops;
  /** Limits calls to the venue; undefined if the venue does not limit them. */
  readonly budget: CallBudget | undefined;
  /** Limits and policy that the engine reads for every order; a watched run changes them in place. */
  readonly limits: RiskLimits;
  readonly policy: ExecutionPolicy;
}

/** Symbols of a setup, in the config's order. */
export function symbolsOf(setup: PaperSetup): readonly SecuritySymbol[] {
  return setup.securities.map((security) => security.symbol);
}
