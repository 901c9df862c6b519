import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { accountNumber } from '#src/wire/account-number.ts';
import { type CommandLine, startCommandLine } from './a-command-line.ts';

let line: CommandLine;

beforeAll(async () => {
  line = await startCommandLine();
});
afterAll(() => line.close());

const BUY = ['order', 'submit', '700.HK', '--side', 'buy', '--quantity', '100'];
const FAR_BELOW = ['--price', '300'];
const submitted = z.object({ kind: z.literal('accepted'), orderId: z.string(), tag: z.string() });

async function place(more: readonly string[] = FAR_BELOW): Promise<z.infer<typeof submitted>> {
  return submitted.parse(await line.json([...BUY, ...more]));
}

const orderList = z.array(z.looseObject({ orderId: z.string(), status: z.string() }));

/** Reads an order until its text matches; the venue takes a moment for each change. */
async function shown(id: string, wanted: RegExp): Promise<string> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const { out } = await line.sluice(['order', 'show', id]);
    if (wanted.test(out)) return out;
  }
  throw new Error(`Order ${id} never became ${wanted}`);
}

describe('an order type that was removed', () => {
  it.each([
    ['TSMPCT', 'TSLPPCT'],
    ['TSMAMT', 'TSLPAMT'],
  ])('%s is refused with the reason, and nothing is sent', async (type, like) => {
    for (const asked of [
      [...BUY, '--type', type],
      ['estimate', '700.HK', '--type', type],
    ]) {
      const { code, err } = await line.sluice(asked);
      expect(code).toBe(2);
      expect(err).toContain(`${type} was removed on 2024-04-29, ${like} trails with a limit`);
    }
    expect(await line.json(['orders'])).toEqual([]);
  });
});

describe('sluice order submit', () => {
  it('prints what it is about to do, and the confirmed result: accepted', async () => {
    const ended = await line.sluice([...BUY, ...FAR_BELOW]);
    expect(ended.code).toBe(0);
    expect(ended.err).toMatch(/^About to buy 100 700\.HK LO at 300, day; at 127\.0\.0\.1:\d+, on paper\n$/);
    expect(ended.out).toMatch(/^Accepted: order \d{18}\n/);
  });

  it('prints the confirmed result: refused, with code and text', async () => {
    const ended = await line.sluice([
      'order',
      'submit',
      '700.HK',
      '--side',
      'buy',
      '--quantity',
      '150',
      ...FAR_BELOW,
    ]);
    expect(ended.code).toBe(4);
    expect(ended.out).toMatch(/^Refused by the venue: 602001, .*150.*lot/);
  });

  it('prints the confirmed result: not sent, as no server listens', async () => {
    const ended = await line.sluice([...BUY, ...FAR_BELOW, '--url', 'http://127.0.0.1:9', '--json']);
    expect(ended.code).toBe(4);
    expect(JSON.parse(ended.out)).toMatchObject({ kind: 'not-sent' });
  });

  it('sends an order once and prints that it is unknown when no answer comes (I-2)', async () => {
    let received = 0;
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        received += 1;
        response.destroy();
      });
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const ended = await line.sluice([...BUY, ...FAR_BELOW, '--url', `http://127.0.0.1:${port}`]);
    expect(ended.code).toBe(4);
    expect(ended.out).toMatch(/^Unknown whether the venue has the order: /);
    expect(ended.out).toMatch(
      /It is not sent again\. Look with "sluice orders" for the remark K1-HAND-[A-Z2-7]{16}-/,
    );
    expect(received).toBe(1);
  });

  it('names options that contradict each other before anything is sent', async () => {
    const ended = await line.sluice([...BUY, '--time-in-force', 'gtd', ...FAR_BELOW]);
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toContain('--expire-date: is valid only with --time-in-force "GTD"');
    expect((await line.sluice(BUY)).err).toContain('--price: is missing, order type LO requires it');
  });
});

describe('sluice orders', () => {
  it('lists orders placed here as own orders, with the decoded tag', async () => {
    const { orderId, tag } = await place([...FAR_BELOW, '--remark', 'by hand']);
    const listed = orderList.parse(await line.json(['orders', '--symbol', '700.HK', '--side', 'buy']));
    expect(listed.find((each) => each.orderId === orderId)).toMatchObject({
      ours: true,
      deployment: 'HAND',
      remark: `${tag} by hand`,
      quantity: '100',
      price: '300',
    });
    const page = await line.sluice(['orders']);
    expect(page.out).toMatch(new RegExp(`^Ours, by their tag: [\\s\\S]*${orderId}[\\s\\S]*Foreign: none`));
  });
});

describe('sluice order replace, cancel and show', () => {
  it('change what was named, keep the rest and the remark, and state that a request is not yet done', async () => {
    const { orderId, tag } = await place();
    await shown(orderId, /Status +New/);
    const replaced = await line.sluice(['order', 'replace', orderId, '--price', '310']);
    expect(replaced.out).toContain(`Asked for order ${orderId} to be replaced`);
    const after = await shown(orderId, /buy 100 700\.HK LO at 310, day/);
    expect(after).toContain(tag);
    const canceled = await line.sluice(['order', 'cancel', orderId]);
    expect(canceled.out).toContain(`Asked for order ${orderId} to be cancelled`);
    await shown(orderId, /Status +Canceled/);
    const again = await line.sluice(['order', 'cancel', orderId, '--json']);
    expect(again.code).toBe(4);
    expect(JSON.parse(again.out)).toMatchObject({ kind: 'refused', code: 601011, orderId });
  });

  it('end with 2 without a value, and with 4 for an unknown order', async () => {
    expect(await line.sluice(['order', 'replace', '1'])).toMatchObject({ code: 2 });
    const ended = await line.sluice(['order', 'show', '123456']);
    expect(ended.code).toBe(4);
    expect(ended.err).toContain('603001');
    expect(ended.err).toContain('Look for the id with "sluice orders"');
  });
});

describe('an order that may cost real money', () => {
  const ELSEWHERE = ['--url', 'https://broker.invalid'];
  const refusals: readonly (readonly [string, readonly string[], string])[] = [
    ['neither permit', [], 'Add "--live" and "--account <id>" to confirm'],
    ['no account', ['--live'], 'Add "--account <id>" to confirm'],
    ['no --live', ['--account', '1'], 'Add "--live" to confirm'],
  ];

  it.each(refusals)('is refused before anything is connected with %s', async (_name, flags, advice) => {
    const ended = await line.sluice([...BUY, ...FAR_BELOW, ...ELSEWHERE, ...flags]);
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toContain('Nothing was sent');
    expect(ended.err).toContain(advice);
  });

  it.each([['cancel'], ['replace']])('is not changed there by %s either', async (verb) => {
    const figures = verb === 'replace' ? ['--price', '1'] : [];
    const ended = await line.sluice(['order', verb, '1', ...figures, ...ELSEWHERE]);
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toContain('Nothing was sent');
  });

  it('is not sent when the venue knows the credentials under another account, which is not named', async () => {
    const before = orderList.parse(await line.json(['orders']));
    const ended = await line.sluice([...BUY, ...FAR_BELOW, '--account', '987654321']);
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toContain('another account than the one named');
    expect(ended.err).not.toMatch(/About to/);
    expect(orderList.parse(await line.json(['orders']))).toHaveLength(before.length);
  });

  it('is sent when the venue returns the same account', async () => {
    const accepted = await place([...FAR_BELOW, '--account', String(accountNumber('paper'))]);
    expect(accepted.kind).toBe('accepted');
  });
});
