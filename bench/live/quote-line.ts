import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { decodeFrame, encodeFrame } from '../../src/wire/frame.ts';
import { type PushQuote, PushQuoteSchema } from '../../src/wire/gen/quote_pb.ts';
import { decodeMessage, encodeMessage } from '../../src/wire/message.ts';

/** Command of a pushed quote. @see docs/wire-protocol.md, "The sockets" */
export const PUSH_QUOTE = 101;
/** Higher than any sequence number that the venue gives its own pushes. */
const FIRST_SEQUENCE = 1_000_000_000n;

/** A proxy to a venue's quote socket on which a benchmark pushes its own quotes. */
export interface QuoteLine {
  /** The venue's address with the port of this proxy. */
  readonly url: string;
  /** The newest quote of each symbol that the venue has pushed. */
  readonly seen: ReadonlyMap<string, PushQuote>;
  /**
   * Wire bytes of pushes of a symbol, newer than all previous ones. The price of every other one is `step` higher.
   */
  frames(symbol: string, count: number, step?: number): readonly Buffer[];
  /** Sends bytes to the client; resolves once the system has accepted them. */
  send(bytes: Buffer): Promise<void>;
  close(): void;
}

/**
 * Opens a proxy on loopback that passes everything on, except the venue's own pushes once quotes are generated here.
 */
export async function openQuoteLine(url: string): Promise<QuoteLine> {
  const target = new URL(url);
  const seen = new Map<string, PushQuote>();
  const sockets = new Set<Socket>();
  let client: Socket | undefined;
  let sequence = FIRST_SEQUENCE;
  let isOurs = false;
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) });
    client = near.setNoDelay(true);
    near.pipe(far);
    let left: Buffer = Buffer.alloc(0);
    let isOpen = false;
    far.on('data', (bytes) => {
      left = left.length === 0 ? bytes : Buffer.concat([left, bytes]);
      if (!isOpen) {
        const end = left.indexOf('\r\n\r\n');
        if (end < 0) return;
        isOpen = true;
        near.write(left.subarray(0, end + 4));
        left = left.subarray(end + 4);
      }
      for (let length = frameLength(left); length <= left.length; length = frameLength(left)) {
        const quote = pushedQuote(left.subarray(0, length));
        if (quote !== undefined) seen.set(quote.symbol, quote);
        if (quote === undefined || !isOurs) near.write(left.subarray(0, length));
        left = left.subarray(length);
      }
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = new URL(url);
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.href.replace(/\/$/, ''),
    seen,
    frames(symbol, count, step = 0) {
      const base = seen.get(symbol);
      if (base === undefined) throw new Error(`The venue has pushed no quote of ${symbol} yet`);
      isOurs = true;
      const timestamp = BigInt(Math.floor(Date.now() / 1_000));
      return Array.from({ length: count }, (_, at) => {
        sequence += 1n;
        const lastDone = (Number(base.lastDone) + (at % 2) * step).toFixed(3);
        const volume = base.volume + BigInt(at);
        const body = encodeMessage(PushQuoteSchema, { ...base, sequence, timestamp, lastDone, volume });
        return webSocketFrame(encodeFrame({ kind: 'push', command: PUSH_QUOTE, body }));
      });
    },
    send: (bytes) =>
      new Promise((resolve, reject) => {
        if (client === undefined) return reject(new Error('No client has come'));
        client.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Length of the frame at the start of a WebSocket server's bytes; infinite while its header is incomplete. */
function frameLength(bytes: Buffer): number {
  if (bytes.length < 2) return Number.POSITIVE_INFINITY;
  const short = (bytes[1] as number) & 0x7f;
  if (short < 126) return 2 + short;
  if (short === 126) return bytes.length < 4 ? Number.POSITIVE_INFINITY : 4 + bytes.readUInt16BE(2);
  return bytes.length < 10 ? Number.POSITIVE_INFINITY : 10 + Number(bytes.readBigUInt64BE(2));
}

function pushedQuote(frame: Buffer): PushQuote | undefined {
  const short = (frame[1] as number) & 0x7f;
  const message = frame.subarray(short < 126 ? 2 : short === 126 ? 4 : 10);
  const decoded = decodeFrame(message);
  if (decoded.kind !== 'push' || decoded.command !== PUSH_QUOTE) return undefined;
  return decodeMessage(PushQuoteSchema, decoded.body);
}

/** A message of less than 64 KiB as a server sends it: one unmasked binary frame. */
function webSocketFrame(message: Uint8Array): Buffer {
  const head =
    message.length < 126
      ? Buffer.of(0x82, message.length)
      : Buffer.of(0x82, 126, message.length >> 8, message.length & 0xff);
  return Buffer.concat([head, message]);
}
