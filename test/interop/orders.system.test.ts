import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { step } from '../venue/a-client.ts';
import { aLivingVenue, CREDENTIALS } from './a-living-venue.ts';
import { Heard } from './heard.ts';
import { configFor, loadOfficialClient, type OfficialClient, titleOf, wordsOf } from './official-client.ts';

const client = loadOfficialClient();

describe.skipIf(client.kind === 'absent')(titleOf(client, 'orders through the official client'), () => {
  const sdk = (client.kind === 'loaded' ? client.sdk : undefined) as OfficialClient;
  const words = wordsOf(sdk);
  const heard = new Heard<{ readonly id: string; readonly status: number; readonly text: string }>();
  let venue: RunningVenue;
  let trade: InstanceType<OfficialClient['TradeContext']>;

  beforeAll(async () => {
    venue = await aLivingVenue();
    trade = await sdk.TradeContext.new(configFor(sdk, venue, CREDENTIALS));
    trade.setOnOrderChanged((_error, event) =>
      heard.add({ id: event.orderId, status: event.status, text: event.toString() }),
    );
    await trade.subscribe([words.TopicType.Private]);
  });
  afterAll(() => venue.close());

  const decimal = (text: string) => new sdk.Decimal(text);
  const limitOrder = (quantity: string, price: string, side = words.OrderSide.Buy) => ({
    symbol: '700.HK',
    orderType: words.OrderType.LO,
    side,
    submittedQuantity: decimal(quantity),
    submittedPrice: decimal(price),
    timeInForce: words.TimeInForceType.Day,
  });
  const statusOf = async (orderId: string) => (await trade.orderDetail(orderId)).status;
  const steps = async (count: number) => {
    for (let each = 0; each < count; each += 1) await step(venue);
  };

  it('reads the account in its own currency and in another, margin ratio and the largest order', async () => {
    const [balance] = await trade.accountBalance();
    expect(balance?.currency).toBe('HKD');
    expect(balance?.netAssets.toString()).toBe('1780000.00');
    expect(balance?.buyPower.toString()).toBe('1780000.00');
    expect(balance?.cashInfos.map(({ currency, availableCash }) => `${availableCash} ${currency}`)).toEqual([
      '1000000.00 HKD',
      '100000.00 USD',
    ]);
    expect((await trade.accountBalance('USD'))[0]?.currency).toBe('USD');
    const { channels } = await trade.stockPositions();
    expect(channels.map(({ accountChannel, positions }) => [accountChannel, positions])).toEqual([
      ['lb_papertrading', []],
    ]);
    expect((await trade.fundPositions()).channels).toEqual([]);
    expect((await trade.marginRatio('700.HK')).mmFactor.toString()).toBe('0.3');
    const estimate = await trade.estimateMaxPurchaseQuantity({
      symbol: '700.HK',
      orderType: words.OrderType.LO,
      side: words.OrderSide.Buy,
      price: decimal('410'),
      fractionalShares: false,
    });
    expect(estimate.cashMaxQty.toString()).toBe('2400');
  });

  it('submits, is filled in parts, receives every change, and finds all of it again', async () => {
    const { orderId } = await trade.submitOrder({ ...limitOrder('600', '417'), remark: 'interop' });
    expect(await statusOf(orderId)).toBe(words.OrderStatus.NotReported);
    await steps(4);
    const own = await heard.until((items) => items.some(({ status }) => status === words.OrderStatus.Filled));
    const statuses = own.filter(({ id }) => id === orderId).map(({ status }) => status);
    const { New, PartialFilled, Filled } = words.OrderStatus;
    expect(statuses).toEqual([New, PartialFilled, PartialFilled, Filled]);
    const last = own.at(-1)?.text ?? '';
    expect(last).toContain('executed_quantity: 600');
    expect(last).toContain('last_share: Some(200)');
    expect(last).toContain('remark: "interop"');

    const detail = await trade.orderDetail(orderId);
    expect(detail.executedQuantity.toString()).toBe('600');
    expect(detail.remark).toBe('interop');
    expect(detail.history.map(({ status }) => status)).toEqual([Filled, PartialFilled, PartialFilled, New]);
    const fees = detail.chargeDetail.items.flatMap((item) => item.fees.map(({ code }) => code));
    expect(fees).toContain('STAMP_DUTY');
    const executions = await trade.todayExecutions({ orderId });
    expect(executions.map(({ quantity }) => quantity.toString())).toEqual(['200', '200', '200']);
    expect(await trade.historyExecutions({ symbol: '700.HK' })).toEqual([]);
    const [channel] = (await trade.stockPositions(['700.HK'])).channels;
    expect(channel?.positions.map(({ quantity, initQuantity }) => `${quantity} of ${initQuantity}`)).toEqual([
      '600 of 0',
    ]);
    const [balance] = await trade.accountBalance();
    expect(balance?.netAssets.toNumber()).toBeLessThan(1_780_000);
  });

  it('lists orders of today by symbol, status, side and market, and has no earlier ones', async () => {
    const { Filled, New } = words.OrderStatus;
    const today = (options: object) => trade.todayOrders(options);
    expect(await today({ symbol: '700.HK', status: [Filled, New], side: words.OrderSide.Buy })).toHaveLength(
      1,
    );
    expect(await today({ market: words.Market.HK, status: [Filled] })).toHaveLength(1);
    expect(await today({ market: words.Market.US })).toEqual([]);
    expect(await today({ side: words.OrderSide.Sell })).toEqual([]);
    const past = { startAt: new Date('2025-08-01T00:00:00Z'), endAt: new Date('2025-09-03T00:00:00Z') };
    expect(await trade.historyOrders(past)).toEqual([]);
  });

  it('reads the cash flow of a trade: the payment and its charges', async () => {
    const flow = await trade.cashFlow({
      startAt: new Date('2025-09-01T00:00:00Z'),
      endAt: new Date('2025-09-03T00:00:00Z'),
    });
    const sums = flow.map(
      ({ transactionFlowName, balance }) => `${transactionFlowName} ${balance.toNumber() < 0}`,
    );
    expect(sums).toEqual([...Array.from({ length: 3 }, () => 'BuyContract-Stocks true'), 'Fee-Stocks true']);
  });

  it('replaces a working order and cancels it', async () => {
    const { orderId } = await trade.submitOrder({
      ...limitOrder('200', '300'),
      timeInForce: words.TimeInForceType.GoodTilDate,
      expireDate: new sdk.NaiveDate(2025, 9, 20),
    });
    await step(venue);
    await trade.replaceOrder({ orderId, quantity: decimal('300'), price: decimal('301') });
    await step(venue);
    const replaced = await trade.orderDetail(orderId);
    expect([replaced.quantity.toString(), replaced.price?.toString(), replaced.status]).toEqual([
      '300',
      '301',
      words.OrderStatus.New,
    ]);
    expect(replaced.expireDate?.toString()).toBe('2025-09-20');
    await trade.cancelOrder(orderId);
    await step(venue);
    expect(await statusOf(orderId)).toBe(words.OrderStatus.Canceled);
    await expect(trade.replaceOrder({ orderId, quantity: decimal('100') })).rejects.toThrow(/601011/);
  });

  it('places conditional and trailing orders, which wait, and market orders, which do not', async () => {
    const { GoodTilCanceled, Day } = words.TimeInForceType;
    const order = { symbol: '700.HK', submittedQuantity: decimal('100'), timeInForce: GoodTilCanceled };
    const { Buy, Sell } = words.OrderSide;
    const { LIT, MIT, MO, TSLPAMT, TSLPPCT } = words.OrderType;
    const waiting = [
      { ...order, orderType: LIT, side: Buy, triggerPrice: decimal('300'), submittedPrice: decimal('301') },
      { ...order, orderType: MIT, side: Buy, triggerPrice: decimal('300') },
      {
        ...order,
        orderType: TSLPAMT,
        side: Sell,
        trailingAmount: decimal('20'),
        limitOffset: decimal('0.2'),
      },
      {
        ...order,
        orderType: TSLPPCT,
        side: Sell,
        trailingPercent: decimal('5'),
        limitOffset: decimal('0.2'),
      },
    ];
    const ids: string[] = [];
    for (const each of waiting) ids.push((await trade.submitOrder(each)).orderId);
    const atOnce = { ...order, orderType: MO, side: Sell, timeInForce: Day };
    const { orderId } = await trade.submitOrder(atOnce);
    await steps(8);
    const { VarietiesNotReported, Filled } = words.OrderStatus;
    for (const id of ids) expect(await statusOf(id)).toBe(VarietiesNotReported);
    expect(await statusOf(orderId)).toBe(Filled);
    const [first] = await trade.todayOrders({ orderId: ids[0] ?? '' });
    expect(first?.triggerPrice?.toString()).toBe('300');
    for (const id of ids) await trade.cancelOrder(id);
    await steps(5);
    for (const id of ids) expect(await statusOf(id)).toBe(words.OrderStatus.Canceled);
  });

  it('receives the reason why an order cannot be placed, found or changed', async () => {
    await expect(trade.submitOrder(limitOrder('7', '417'))).rejects.toThrow(/602001.*lot/);
    await expect(trade.submitOrder(limitOrder('100', '417.03'))).rejects.toThrow(/602001.*tick/);
    await expect(trade.submitOrder({ ...limitOrder('100', '1'), symbol: '1.HK' })).rejects.toThrow(/602001/);
    await expect(trade.orderDetail('12345')).rejects.toThrow(/603001/);
    await expect(trade.cancelOrder('12345')).rejects.toThrow(/603001/);
    const beyondMeans = await trade.submitOrder(limitOrder('100000', '417'));
    await step(venue);
    const rejected = await trade.orderDetail(beyondMeans.orderId);
    expect(rejected.status).toBe(words.OrderStatus.Rejected);
    expect(rejected.msg).not.toBe('');
  });
});
