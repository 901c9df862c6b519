/**
 * `minimal-client.ts QUOTE_PORT ORDER_PORT SYMBOL`, started by `live.ts`: the minimum that a client does. It reads
 * quote frames by hand into columns, and answers each quote of SYMBOL with a signed order. It has no gate, no
 * journal, no books and no order tracking.
 */
import { createHmac, hash } from 'node:crypto';
import { connect } from 'node:net';

const [, , quotePort, orderPort, traded = ''] = process.argv;
const TOKEN = `m_${'b'.repeat(300)}`;
const SECRET = 'a'.repeat(64);
const SYMBOLS_MAX = 1_024;

/** Index of each symbol by a hash of its bytes, and the columns: price in thousandths, volume in shares. */
const places = new Map<number, number>();
const names: string[] = [];
const last = new Float64Array(SYMBOLS_MAX);
const high = new Float64Array(SYMBOLS_MAX);
const low = new Float64Array(SYMBOLS_MAX).fill(Number.POSITIVE_INFINITY);
const volume = new Float64Array(SYMBOLS_MAX);
let quotes = 0;
let came = 0n;
let measured: number[] = [];

const orders = connect(Number(orderPort), '127.0.0.1')
  .setNoDelay(true)
  .on('data', () => undefined);
const socket = connect(Number(quotePort), '127.0.0.1').setNoDelay(true);
socket.write(
  'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
);
let left: Buffer = Buffer.alloc(0);
let isOpen = false;
socket.on('data', (bytes) => {
  came = process.hrtime.bigint();
  left = left.length === 0 ? bytes : Buffer.concat([left, bytes]);
  let at = 0;
  if (!isOpen) {
    const end = left.indexOf('\r\n\r\n');
    if (end < 0) return;
    isOpen = true;
    at = end + 4;
    process.send?.({ kind: 'open' });
  }
  while (left.length - at >= 4) {
    const short = (left[at + 1] as number) & 0x7f;
    const head = short < 126 ? 2 : 4;
    const length = short < 126 ? short : left.readUInt16BE(at + 2);
    if (left.length - at < head + length) break;
    // Header of a push (3) of a quote (101), with three bytes of length.
    if (left[at + head] === 3 && left[at + head + 1] === 101)
      readQuote(left, at + head + 5, at + head + length);
    at += head + length;
  }
  left = left.subarray(at);
});

/** Reads fields 1 (symbol), 3 (last price) and 8 (volume) of a PushQuote and skips the others. */
function readQuote(bytes: Buffer, from: number, to: number): void {
  let place = -1;
  for (let at = from; at < to; ) {
    const tag = bytes[at] as number;
    at += 1;
    let value = 0;
    let scale = 1;
    for (let byte = 0x80; byte >= 0x80; at += 1) {
      byte = bytes[at] as number;
      value += (byte & 0x7f) * scale;
      scale *= 128;
    }
    if ((tag & 7) === 0) {
      if (tag >> 3 === 8) volume[place] = value;
      continue;
    }
    if (tag >> 3 === 1) place = placeOf(bytes, at, at + value);
    else if (tag >> 3 === 3) take(place, thousandths(bytes, at, at + value));
    at += value;
  }
  quotes += 1;
  if (names[place] === traded) order(place);
}

function placeOf(bytes: Buffer, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum = (sum * 31 + (bytes[at] as number)) | 0;
  let place = places.get(sum);
  if (place === undefined) {
    place = names.push(bytes.toString('latin1', from, to)) - 1;
    places.set(sum, place);
  }
  return place;
}

function take(place: number, price: number): void {
  last[place] = price;
  if (price > (high[place] as number)) high[place] = price;
  if (price < (low[place] as number)) low[place] = price;
}

function thousandths(bytes: Buffer, from: number, to: number): number {
  let units = 0;
  let places = -1;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte === 0x2e) places = 0;
    else {
      units = units * 10 + byte - 0x30;
      if (places >= 0) places += 1;
    }
  }
  return units * 10 ** (3 - Math.max(0, places));
}

function order(place: number): void {
  const price = (last[place] as number) / 1_000;
  const body = `{"symbol":"${traded}","order_type":"LO","submitted_price":"${price}","submitted_quantity":"100","side":"Buy","time_in_force":"Day"}`;
  const time = String(Date.now() / 1e3);
  const signed = 'authorization;x-api-key;x-timestamp';
  const text = `POST|/v1/trade/order||authorization:${TOKEN}\nx-api-key:k\nx-timestamp:${time}\n|${signed}|${hash('sha1', body)}`;
  const signature = createHmac('sha256', SECRET)
    .update(`HMAC-SHA256|${hash('sha1', text)}`)
    .digest('hex');
  orders.write(
    `POST /v1/trade/order HTTP/1.1\r\nhost: x\r\nauthorization: ${TOKEN}\r\nx-api-key: k\r\nx-timestamp: ${time}\r\nx-api-signature: HMAC-SHA256 SignedHeaders=${signed}, Signature=${signature}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    'latin1',
  );
  measured.push(Number(process.hrtime.bigint() - came) / 1e3);
}

process.on('message', () => {
  process.send?.({ kind: 'state', quotes, measured });
  measured = [];
});
