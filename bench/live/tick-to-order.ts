/**
 * Loaded into a bot by `--import`: measures the time from the moment at which the bytes of a quote of `BENCH_SYMBOL` come from the system to
 * the moment at which the bytes of an order are handed to it. Appends to `BENCH_FILE` a line for each: all of it, and what of it passed
 * while no answer of the venue was awaited, in microseconds. The bot's call budget (30 calls in 30 s, 25 ms apart, which is the
 * broker's rule) is switched off, as that of the benchmark's venue is.
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { Socket } from 'node:net';

const BUDGET = /callsPer30s: ?30\b/;
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const source = loaded.source === undefined || loaded.source === null ? '' : String(loaded.source);
    if (!BUDGET.test(source)) return loaded;
    lines.push('budget off');
    return { ...loaded, source: source.replace(BUDGET, 'callsPer30s: undefined') };
  },
});

const { BENCH_SYMBOL: symbol = '', BENCH_FILE: file = '' } = process.env;
const REQUEST = /^(?:GET|POST|PUT|DELETE) \//;
const ORDER = 'POST /v1/trade/order ';
const ANSWER = Buffer.from('HTTP/1.1');
const prototype = Socket.prototype as {
  push: (chunk: unknown) => boolean;
  write: (...args: unknown[]) => boolean;
};
const { push, write } = prototype;
const lines: string[] = [];
/** When the tick came, nanoseconds; since when answers are awaited, and how long they were since the tick. */
let came: bigint | undefined;
let awaitedSince = 0n;
let awaitedNs = 0n;
let awaited = 0;

/** Whether bytes hold a push (type 3, command 101, three bytes of length) of the symbol, which is its first field. */
function isTick(bytes: Buffer): boolean {
  const at = bytes.indexOf(symbol);
  return at >= 7 && bytes[at - 7] === 3 && bytes[at - 6] === 101;
}

prototype.push = function (chunk) {
  if (Buffer.isBuffer(chunk)) {
    const now = process.hrtime.bigint();
    if (awaited > 0 && chunk.subarray(0, ANSWER.length).equals(ANSWER)) {
      awaited -= 1;
      if (awaited === 0) awaitedNs += now - awaitedSince;
    } else if (came === undefined && isTick(chunk)) {
      came = now;
      awaitedNs = 0n;
      awaitedSince = now;
    }
  }
  return push.call(this, chunk);
};

prototype.write = function (...args) {
  const sent = write.apply(this, args);
  const text = typeof args[0] === 'string' ? args[0] : '';
  if (!REQUEST.test(text)) return sent;
  const now = process.hrtime.bigint();
  if (came !== undefined && text.startsWith(ORDER)) {
    const waited = awaited > 0 ? awaitedNs + now - awaitedSince : awaitedNs;
    lines.push(`${Number(now - came) / 1e3} ${Number(now - came - waited) / 1e3}`);
    came = undefined;
  }
  if (awaited === 0) awaitedSince = now;
  awaited += 1;
  return sent;
};

setInterval(() => {
  if (lines.length > 0) appendFileSync(file, `${lines.splice(0).join('\n')}\n`);
}, 100).unref();
