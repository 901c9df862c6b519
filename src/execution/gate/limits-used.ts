import { isForeignLive } from '../../events/records/foreign-record.ts';
import { Decimal } from '../../model/decimal.ts';
import { isLive } from '../../model/order-state.ts';
import type { RiskNumber } from '../../model/risk-number.ts';
import { MINUTE_MS } from '../../model/time.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import { isCounted } from '../../risk/risk-gate.ts';
import { number, percent } from '../../risk/rule.ts';
import { dayProfit, equityAtResume } from './day-profit.ts';
import { exposureExcept } from './exposure.ts';
import type { FactSources } from './fact-sources.ts';
import { unattendedFills } from './gather-facts.ts';

const UNKNOWN = 'not known';

/**
 * Returns the current use of each limit of the account with the limit: counts as numbers, shares of equity in
 * percent. `equity` is by our books, in the account's currency; a value is "not known" if a price or rate is missing.
 */
export function limitsUsed(sources: FactSources, limits: RiskLimits, equity: number): readonly RiskNumber[] {
  const { state } = sources;
  const { gate } = state;
  const now = sources.now();
  const since = (ms: number) => (entry: { readonly at: number }) => entry.at > now - ms;
  const live = [...state.live.values()].filter(({ facets }) => isLive(facets)).length;
  const foreign = [...state.foreign.orders.values()].filter(isForeignLive).length;
  const breaches = gate.denials.filter(since(limits.breachWindow)).filter(({ rule }) => isCounted(rule));
  const of = (name: string, used: number, most: number): RiskNumber => number(name, `${used}`, `${most}`);
  return [
    of('open orders', live + foreign, limits.maxOpenOrders),
    of('orders in a minute', gate.orders.filter(since(MINUTE_MS)).length, limits.maxOrderRate),
    of('fills without an operator', unattendedFills(gate, now), limits.maxUnattendedFills),
    of('breaches', breaches.length, limits.maxBreaches),
    ...shares(sources, limits, equity),
  ];
}

function shares(sources: FactSources, limits: RiskLimits, equity: number): readonly RiskNumber[] {
  const { peakEquity } = sources.state.gate;
  const all = exposureExcept(undefined, sources);
  const made = dayProfit(sources);
  const isKnown = Number.isFinite(equity) && equity > 0;
  const share = (name: string, worth: Decimal | undefined, from: Decimal, most: Decimal): RiskNumber => {
    const used =
      worth === undefined || !isKnown || !from.gt(0) ? UNKNOWN : percent(Decimal.max(0, worth).div(from));
    return number(name, used, percent(most));
  };
  const own = new Decimal(isKnown ? equity : 0);
  const began = equityAtResume(sources) ?? (made && own.minus(made));
  const peak = Decimal.max(peakEquity ?? own, own);
  const net = all && Decimal.max(all.mostLong.abs(), all.mostShort.abs());
  return [
    share('loss of the day', began?.minus(own), began ?? own, limits.maxDailyLoss),
    share('drawdown', peak.minus(own), peak, limits.maxDrawdown),
    share('gross exposure', all?.gross, own, limits.maxGrossExposure),
    share('net exposure', net, own, limits.maxNetExposure),
  ];
}
