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

/** What facts are gathered from: the venue by questions, and what we know ourselves. */
export interface FactSources {
  readonly broker: Broker;
  readonly state: BotState;
  /** The account's own currency, in which equity and margin are queried. */
  readonly currency: Currency;
  now(): Millis;
  /** The state of the gate at this instant. */
  readonly restrictions: Pick<Restrictions, 'standing' | 'symbolHalt' | 'observedBy'>;
  security(symbol: SecuritySymbol): Security | undefined;
  /** Latest quote; undefined before the first. */
  reference(symbol: SecuritySymbol): QuoteFact | undefined;
  /** Account currency per unit of a currency; undefined when there is no rate, or none that is fresh (F-D12). */
  rateOf(currency: Currency): Decimal | undefined;
  /** Currencies of the account without a usable exchange rate. */
  unrated(): readonly Currency[];
  /** Newest close of the symbol's own bars; undefined: no bar of it closed yet. */
  lastClose(symbol: SecuritySymbol): Price | undefined;
  /** Newest close up to an instant; undefined: no bar reaches back that far. */
  closeBefore(symbol: SecuritySymbol, at: Millis): Price | undefined;
  /** What the order that is judged is to an algorithm; absent: nothing. */
  readonly link?: OrderLink | undefined;
  /** The order that the judged one takes the place of, when it is a replace. */
  readonly replaces?: IntentId | undefined;
  /** Cached margin ratios, for accounts with a limited number of calls; absent: queried every time. */
  readonly margins?: Map<SecuritySymbol, Aged<MarginFactors>> | undefined;
  /** Our positions compared with the venue's; absent: as they always agree where the venue pushes every change. */
  books?(): Aged<readonly string[]> | undefined;
}
