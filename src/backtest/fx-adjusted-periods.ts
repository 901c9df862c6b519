import { estimated, type Portfolio } from '../events/portfolio.ts';
import type { DatedRates } from '../model/dated-rates.ts';
import { rateBetween } from '../model/fx.ts';
import type { Currency } from '../model/money.ts';
import { type Millis, NEVER } from '../model/time.ts';
import type { Stretch } from './equity-columns.ts';

/** Cuts stretches where a rate changes: the same is held on, at another rate. `held` goes along with them where any does. */
export function fxAdjustedPeriods(
  stretches: readonly Stretch[],
  {
    held,
    dated,
    currency,
  }: { readonly held: readonly Portfolio[]; readonly dated: DatedRates; readonly currency: Currency },
): readonly Stretch[] {
  const { changes } = dated;
  if (changes.length === 0) return stretches;
  const rateAt =
    (at: Millis) =>
    (of: Currency): number =>
      rateBetween(of, currency, dated.asOf(at))?.toNumber() ?? Number.NaN;
  let next = 0;
  return stretches.flatMap((stretch, place) => {
    const portfolio = held[place];
    const until = stretches[place + 1]?.from ?? NEVER;
    while (next < changes.length && (changes[next] as Millis) <= stretch.from) next += 1;
    const cut: Stretch[] = [stretch];
    for (; next < changes.length && (changes[next] as Millis) < until; next += 1) {
      const from = changes[next] as Millis;
      if (portfolio !== undefined) cut.push({ from, estimate: estimated(portfolio, rateAt(from)) });
    }
    return cut;
  });
}
