import { describe, expect, it } from 'vitest';
import { orderId } from '#src/model/order.ts';
import { success } from '#src/wire/envelope.ts';
import { makeTag } from '#src/wire/tag.ts';
import { answerOf } from '../fixtures/tasks.ts';
import { answerJson } from './fake-venue.ts';
import { DEPLOYMENT, INTENT, TERMS } from './fixtures.ts';
import { onSockets } from './on-sockets.ts';

const ORDER = '/v1/trade/order';

const on = onSockets();

describe('a replace', () => {
  it('F-B18: states its terms and the intent, whose tag it sends again: otherwise the remark might be blanked', async () => {
    on.venue.on(ORDER, (_request, response) => answerJson(response, 200, success(null)));
    const replacement = { orderId: orderId('709043056541253632'), intentId: INTENT, terms: TERMS };
    expect(await answerOf(on.bench.client.broker.replace(replacement))).toEqual({ kind: 'accepted' });
    const [sent] = on.venue.of(ORDER);
    expect(sent?.method).toBe('PUT');
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      order_id: '709043056541253632',
      quantity: '100',
      price: '412.4',
      remark: makeTag({ deployment: DEPLOYMENT, intentId: INTENT }),
    });
  });
});
