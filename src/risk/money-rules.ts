import { Decimal, ZERO } from '../model/decimal.ts';
import { atRate } from '../model/fx.ts';
import type { RiskFacts } from './facts.ts';
import { money, number, passes, percent, type RiskRule, shares } from './rule.ts';

/** The venue's own estimate for these very parameters covers the quantity; our own limits hold however large it is. */
export const buyLimit: RiskRule = {
  name: 'buy-limit',
  breach: 'nothing',
  judge({ terms }, facts, limits) {
    const { opening, reservedCash, reference } = facts;
    if (opening === undefined) return undefined;
    const price = terms.price ?? reference?.value;
    const reservedShares = reservedCash === undefined || price === undefined ? ZERO : reservedCash.div(price);
    const wanted = Decimal.max(ZERO, terms.quantity.minus(reservedShares));
    const estimate = opening.buyLimit.value;
    const most = limits.useMargin ? estimate.margin : estimate.cash;
    return passes(
      wanted.lte(most),
      () => [number('quantity', shares(wanted), `buy limit ${shares(most)}`)],
      () =>
        terms.side === 'sell'
          ? `Wants to sell ${wanted} of "${terms.symbol}" with ${facts.held} held, ${shortLimit(most)}`
          : `Wants ${wanted} of "${terms.symbol}", buy limit is ${most} ${limits.useMargin ? "with the venue's credit" : `in cash (useMargin is false)${notFree(facts)}`}`,
    );
  },
};

function shortLimit(most: Decimal): string {
  const asks = most.isZero() ? '; does it let this account sell short?' : '';
  return `the venue's limit is ${most}${asks}`;
}

/** How much of the cash may not buy: it belongs to open orders, or a sale's proceeds have not settled. Empty when all of it may. */
function notFree({ security, opening }: RiskFacts): string {
  const cash = opening?.balance.value.cash.find((row) => row.currency === security?.currency);
  if (cash === undefined) return '';
  const total = cash.available.plus(cash.frozen);
  if (cash.withdrawable.gte(total)) return '';
  return `; of ${money(total, cash.currency)} only ${money(cash.withdrawable, cash.currency)} are settled and not reserved`;
}

/**
 * What the order needs to be opened is covered by buy power, with `marginHeadroom` of that to spare; a venue that cuts orders to
 * what the account can pay for sees to the first by itself.
 */
export const marginHeadroom: RiskRule = {
  name: 'margin-headroom',
  breach: 'nothing',
  judge({ terms }, facts, limits) {
    if (facts.opening === undefined || facts.reference === undefined || facts.rate === undefined)
      return undefined;
    const { margin, balance } = facts.opening;
    const { buyPower, currency, marginCall } = balance.value;
    const price = terms.price ?? facts.reference.value;
    const fresh = Decimal.max(ZERO, terms.quantity.times(price).minus(facts.reservedCash ?? ZERO));
    const needed = atRate(fresh, facts.rate).times(margin.value.initial);
    const spendable = buyPower.times(new Decimal(1).minus(limits.marginHeadroom));
    const numbers = () => [
      number(
        'initial margin of the order',
        money(needed, currency),
        `buy power ${money(buyPower, currency)} less ${percent(limits.marginHeadroom)}`,
      ),
    ];
    if (marginCall.gt(0))
      return { numbers, denied: `Account has a margin call of ${money(marginCall, currency)}` };
    return passes(
      facts.maxFillable !== undefined || needed.lte(spendable),
      numbers,
      () =>
        `Order needs ${money(needed, currency)} of margin, ${money(spendable, currency)} of the buy power may be used: ` +
        `"marginHeadroom" keeps ${percent(limits.marginHeadroom)} of ${money(buyPower, currency)} free`,
    );
  },
};
