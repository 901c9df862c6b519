import fc from 'fast-check';
import { Decimal } from '../../src/model/decimal.ts';
import {
  ORDER_TYPES,
  type OrderDetail,
  type OrderTerms,
  type OrderType,
  orderId,
  type TimeInForce,
  VENUE_STATUSES,
} from '../../src/model/order.ts';
import { type FieldRule, orderTypeRules } from '../../src/model/order-type-rules.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { type Millis, millis, utcDay } from '../../src/model/time.ts';
import { defined } from '../../src/wire/schemas/parameter-fields.ts';

/** A positive decimal with up to `places` decimals. */
export function aPositive(places = 4): fc.Arbitrary<Decimal> {
  const shown = (digits: bigint) => new Decimal(digits.toString()).div(new Decimal(10).pow(places));
  return fc.bigInt({ min: 1n, max: 10n ** 15n }).map(shown);
}

/** A decimal of either sign, or zero. */
export const anAmount = fc
  .bigInt({ min: -(10n ** 15n), max: 10n ** 15n })
  .map((cents) => new Decimal(cents.toString()).div(100));

export const aQuantity = fc.integer({ min: 1, max: 10_000_000 }).map((shares) => new Decimal(shares));

/** Whole seconds, as the wire has no fractions. */
export const aSecond: fc.Arbitrary<Millis> = fc
  .integer({ min: 1_262_304_000, max: 4_102_444_800 })
  .map((seconds) => millis(seconds * 1000));

export const aSymbol = fc
  .constantFrom('700.HK', '9988.HK', 'AAPL.US', '.DJI.US', 'BRK.B.US', 'D05.SG')
  .map((text) => securitySymbol(text));

export const anOrderId = fc
  .bigInt({ min: 10n ** 17n, max: 10n ** 19n })
  .map((digits) => orderId(digits.toString()));

export const aCurrency = fc.constantFrom('HKD', 'USD', 'CNH', 'SGD');

/** Words that JSON and queries must escape, with HTML and other scripts. */
export const someWords = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom('', 'Insufficient Qty - 1000', '騰訊 & <b>"x"</b>', 'a=1&b=2%2F+', '{"event":"x"}'),
);

const aTime = fc.constantFrom<TimeInForce>('day', 'gtc', 'gtd');

/** Combinations of terms that the venue accepts. */
export const someTerms: fc.Arbitrary<OrderTerms> = fc
  .tuple(fc.constantFrom(...ORDER_TYPES), aTime, aSymbol, fc.constantFrom('buy', 'sell'), aQuantity)
  .chain(([type, wanted, anySymbol, side, quantity]) => {
    const rule = orderTypeRules[type];
    const symbol = rule.hongKongOnly ? securitySymbol('700.HK') : anySymbol;
    const timeInForce = rule.timeInForce.includes(wanted) ? wanted : 'day';
    return figuresOf(type, timeInForce).map(
      (figures): OrderTerms =>
        defined({ symbol, side: side as 'buy' | 'sell', type, quantity, timeInForce, ...figures }),
    );
  });

function figuresOf(type: OrderType, timeInForce: TimeInForce) {
  const rule = orderTypeRules[type].fields;
  const figure = (need: FieldRule | undefined, value: fc.Arbitrary<Decimal>) =>
    need === 'required'
      ? value
      : need === 'optional'
        ? fc.option(value, { nil: undefined })
        : fc.constant(undefined);
  const count = (need: FieldRule | undefined, value: fc.Arbitrary<number>) =>
    need === 'optional' ? fc.option(value, { nil: undefined }) : fc.constant(undefined);
  return fc.record({
    price: figure(rule.price, aPositive()),
    triggerPrice: figure(rule.triggerPrice, aPositive()),
    limitOffset:
      rule.limitOffset === 'unless-level'
        ? aPositive().map((x) => x.minus('0.0001'))
        : fc.constant(undefined),
    trailingAmount: figure(rule.trailingAmount, aPositive()),
    trailingPercent: figure(rule.trailingPercent, aPositive(2)),
    limitDepthLevel: count(rule.limitDepthLevel, fc.constantFrom(-5, -1, 1, 5)),
    monitorPrice: figure(rule.monitorPrice, aPositive()),
    triggerCount: count(rule.triggerCount, fc.integer({ min: 1, max: 3 })),
    expireDate: timeInForce === 'gtd' ? aSecond.map(utcDay) : fc.constant(undefined),
    outsideRth: fc.constantFrom(undefined, 'rth-only' as const, 'any-time' as const, 'overnight' as const),
  });
}

const someCharges = fc
  .tuple(
    fc.array(fc.record({ code: fc.constantFrom('COMMISSION', 'PLATFORM_FEE'), amount: anAmount }), {
      maxLength: 2,
    }),
    fc.array(fc.record({ code: fc.constantFrom('STAMP_DUTY', 'SEC_FEE'), amount: anAmount }), {
      maxLength: 3,
    }),
    aCurrency,
  )
  .map(([broker, third, currency]) => [
    ...broker.map((fee) => ({ ...fee, name: fee.code, category: 'broker' as const, currency })),
    ...third.map((fee) => ({ ...fee, name: fee.code, category: 'third-party' as const, currency })),
  ]);

const aStatus = fc.oneof(
  fc.constantFrom(...VENUE_STATUSES).map((status) => ({ status, rawStatus: status as string })),
  fc
    .constantFrom('Teleported', 'UnknownOrderStatus')
    .map((rawStatus) => ({ status: 'unrecognised' as const, rawStatus })),
);

/** An order as a venue may report it; with charges, as in order detail. */
export const someDetail: fc.Arbitrary<OrderDetail> = fc
  .record({
    orderId: anOrderId,
    terms: someTerms,
    state: aStatus,
    filled: fc.option(fc.record({ quantity: aQuantity, price: aPositive() }), { nil: undefined }),
    currency: aCurrency,
    submittedAt: aSecond,
    updatedAt: aSecond,
    triggerAt: fc.option(aSecond, { nil: undefined }),
    message: someWords,
    remark: someWords,
    charges: fc.option(someCharges, { nil: undefined }),
  })
  .map(({ state, filled, ...rest }) => ({
    ...rest,
    ...state,
    executedQuantity: filled?.quantity ?? new Decimal(0),
    executedPrice: filled?.price,
  }));
