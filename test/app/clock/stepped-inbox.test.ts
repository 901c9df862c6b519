import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createSteppedInbox } from '#src/app/clock/stepped-inbox.ts';
import type { Quote } from '#src/model/quote.ts';
import { millis } from '#src/model/time.ts';
import type { OrderHint } from '#src/ports/broker.ts';
import { createFakeVenue } from '../../fixtures/fake-venue.ts';
import { AAPL, quoteOf } from '../../fixtures/market.ts';

/** An inbox for two sockets, and the list of messages that it passed on. */
function world() {
  const inbox = createSteppedInbox();
  const [quotes$, hints$] = [new Subject<Quote>(), new Subject<OrderHint>()];
  const handed: string[] = [];
  inbox.quotes(quotes$).subscribe({
    next: (quote) => handed.push(`quote ${quote.last}`),
    error: (error: unknown) => handed.push(`quotes ${error}`),
  });
  inbox.hints(hints$).subscribe((hint) => handed.push(`order ${hint.orderId}`));
  const venue = createFakeVenue();
  venue.broker.hints$.subscribe(hints$);
  const order = (id: string) => {
    venue.list(id);
    venue.push(id);
  };
  const quote = (price: number) => quotes$.next(quoteOf(AAPL, millis(0), price));
  const settled = async () => {
    handed.push('settled');
  };
  return { inbox, quotes$, handed, order, quote, settled };
}

describe('the stepped inbox', () => {
  it('holds everything back until a step is released', () => {
    const { handed, order, quote } = world();
    quote(10);
    order('O1');
    expect(handed).toEqual([]);
  });

  it('passes on order changes first, one by one, then quotes, in whatever order they arrived (I-26)', async () => {
    const { inbox, handed, order, quote, settled } = world();
    quote(10);
    order('O1');
    quote(11);
    order('O2');
    await inbox.release({ quote: 2, trade: 2 }, settled);
    expect(handed).toEqual([
      ...['order O1', 'settled', 'order O2', 'settled'],
      ...['quote 10', 'quote 11', 'settled'],
    ]);
  });

  it('waits until all frames of a step have arrived', async () => {
    const { inbox, handed, order, quote, settled } = world();
    const released = inbox.release({ quote: 1, trade: 2 }, settled);
    order('O1');
    quote(10);
    await Promise.resolve();
    expect(handed).toEqual([]);
    order('O2');
    await released;
    expect(handed).toEqual(['order O1', 'settled', 'order O2', 'settled', 'quote 10', 'settled']);
  });

  it('keeps what belongs to a later step', async () => {
    const { inbox, handed, quote, settled } = world();
    quote(10);
    quote(11);
    await inbox.release({ quote: 1, trade: 0 }, settled);
    expect(handed).toEqual(['quote 10', 'settled']);
    await inbox.release({ quote: 1, trade: 0 }, settled);
    expect(handed).toEqual(['quote 10', 'settled', 'quote 11', 'settled']);
  });

  it('waits for nothing in a step without frames', async () => {
    const { inbox, handed, settled } = world();
    await inbox.release({ quote: 0, trade: 0 }, settled);
    expect(handed).toEqual([]);
  });

  it('does not wait for ever for a socket that breaks', async () => {
    const { inbox, handed, quotes$, settled } = world();
    const released = inbox.release({ quote: 1, trade: 0 }, settled);
    quotes$.error('closed');
    await expect(released).rejects.toBe('closed');
    expect(handed).toEqual(['quotes closed']);
  });

  it('does not wait for ever for a socket that broke earlier', async () => {
    const { inbox, quotes$, settled } = world();
    quotes$.error('closed');
    await expect(inbox.release({ quote: 1, trade: 0 }, settled)).rejects.toBe('closed');
  });
});
