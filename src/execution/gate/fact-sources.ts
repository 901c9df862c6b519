import type { BotState } from '../../events/bot-state.ts';
import type { OrderLink } from '../../model/algorithm.ts';
import type { Decimal, Price } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import type { IntentId } from '../../model/order.ts';
import type { MarginFactors, Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { Broker } from '../../ports/broker.ts';
import type { Aged, QuoteFact } from '../../risk/facts.ts';
import type { Restrictions } from './restrictions.ts';

/** Sources of the facts for risk checks: the venue, and our own state. */
export interface FactSources {
  readonly broker: Broker;
  readonly state: BotState;
  /** Currency of the account, in which equity and margin are queried. */
  readonly currency: Currency;
  now(): Millis;
  readonly restrictions: Pick<Restrictions, 'standing' | 'symbolHalt' | 'observedBy'>;
  security(symbol: SecuritySymbol): Security | undefined;
  /** Latest quote; undefined before the first. */
  reference(symbol: SecuritySymbol): QuoteFact | undefined;
  /** Account currency per unit of a currency; undefined if there is no rate, or no recent one (F-D12). */
  rateOf(currency: Currency): Decimal | undefined;
  /** Currencies of the account without a usable exchange rate. */
  currenciesWithoutRate(): readonly Currency[];
  /** Newest close of the symbol's bars; undefined before the first. */
  lastClose(symbol: SecuritySymbol): Price | undefined;
  /** Newest close up to an instant; undefined if no bar reaches back that far. */
  closeBefore(symbol: SecuritySymbol, at: Millis): Price | undefined;
  /** Link of the checked order to an algorithm; absent if it has none. */
  readonly link?: OrderLink | undefined;
  /** The order that a replace amends. */
  readonly replaces?: IntentId | undefined;
  /** Cached margin ratios, for accounts with a call budget; absent: queried every time. */
  readonly margins?:
    | { readonly known: Map<SecuritySymbol, Aged<MarginFactors>>; readonly maxAgeMs: number }
    | undefined;
  /**
   * Result of comparing our positions with the venue's; absent if they always agree because the venue pushes every
   * change.
   */
  books?(): Aged<readonly string[]> | undefined;
}
