/**
 * Loaded into a bot by `--import`. Measures the time from the arrival of the bytes of a quote of `BENCH_SYMBOL` to
 * the hand-over of the bytes of an order to the system. Appends a line to `BENCH_FILE` for each, in microseconds: the
 * whole time, and the part in which no answer of the venue was pending. Switches off the bot's call budget (30 calls
 * in 30 s, 25 ms apart, the broker's rule); that of the benchmark's venue is off as well.
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
/**
 * Time of the tick in nanoseconds, start of the pending answers, and the time that answers have been pending since
 * the tick.
 */
let came: bigint | undefined;
let awaitedSince = 0n;
let awaitedNs = 0n;
let awaited = 0;

/**
 * True if the bytes hold a push (type 3, command 101, three bytes of length) of the symbol, which is its first field.
 */
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
