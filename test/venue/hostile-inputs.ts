import { gzipSync } from 'node:zlib';
import { type SeededRandom, seededRandom } from '#src/market-data/seeded-random.ts';
import { CONTROL_COMMANDS, quoteCommands, type RequestCommand, TRADE_COMMANDS } from '#src/wire/commands.ts';
import { ENDPOINTS, type EndpointName } from '#src/wire/endpoints.ts';
import { readEnvelope } from '#src/wire/envelope.ts';
import { decodeFrame, encodeFrame } from '#src/wire/frame.ts';
import { decodeMessage } from '#src/wire/message.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import { decodeRequest } from '#src/wire/request.ts';
import { verifySignature } from '#src/wire/verify-signature.ts';
import { WireError } from '#src/wire/wire-error.ts';
import { MACHINE_START } from './fixed-times.ts';

/** Readers of hostile inputs. */
export const MOUTHS = ['frame', 'message', 'envelope', 'parameters', 'signature'] as const;
export type Mouth = (typeof MOUTHS)[number];

const COMMANDS: readonly RequestCommand[] = [
  ...Object.values(CONTROL_COMMANDS),
  ...Object.values(TRADE_COMMANDS),
  ...Object.values(quoteCommands(PROFILES.documented)),
].filter((command) => command.kind === 'request');
const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as EndpointName[];

/** Almost valid texts, so that mutations reach deep into the readers. */
const NEAR_TEXTS = [
  '{"symbol":"700.HK","order_type":"LO","side":"Buy","submitted_quantity":"100","submitted_price":"412.4","time_in_force":"Day"}',
  '{"order_id":"900100200300400500","quantity":"1e400","price":"-0"}',
  '{"id":5001,"name":"\\ud800","securities":["700.HK","__proto__"],"mode":"replace"}',
  '{"code":0,"message":"success","msg":"success","data":{"order_id":683615454870679600}}',
  'symbol=700.HK&symbol=AAPL.US&status=NewStatus&start_at=1763692800&end_at=99999999999999',
  'market=US&category=Overnight&page=0&size=1e9&currency=%00%ff',
  'HMAC-SHA256 SignedHeaders=authorization;x-api-key;x-timestamp, Signature=0a',
  '1760000000.123',
];

/** Generates malformed inputs, the same for the same seed, and feeds each to its reader. */
export class HostileInputs {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** Feeds one input; throws what the reader threw other than its own error. */
  feedOne(): Mouth {
    const mouth = this.#one(MOUTHS);
    switch (mouth) {
      case 'frame':
        decodeFrame(this.frame());
        break;
      case 'message':
        this.#expectWireError(() => decodeMessage(this.#one(COMMANDS).response, this.bytes(200)));
        break;
      case 'envelope':
        this.#expectWireError(() => readEnvelope(this.text()));
        break;
      case 'parameters':
        decodeRequest(this.#one(ENDPOINT_NAMES), { query: this.text(), body: this.text() });
        break;
      case 'signature':
        this.#verify();
        break;
    }
    return mouth;
  }

  /** Bytes that are an invalid frame. */
  frame(): Uint8Array {
    const { code } = this.#one(COMMANDS);
    const plain = this.bytes(120);
    const body = this.#chance(0.1) ? gzipSync(plain) : plain;
    const frame = encodeFrame({
      kind: 'request',
      command: code,
      requestId: this.#below(9),
      timeoutMs: 9,
      body,
    });
    return this.#chance(0.2) ? this.bytes(60) : this.#mutated(frame);
  }

  /** A text that is an invalid body or query. */
  text(): string {
    const near = this.#one(NEAR_TEXTS);
    if (this.#chance(0.05)) return '['.repeat(this.#below(5_000));
    if (this.#chance(0.1)) return new TextDecoder().decode(this.bytes(200));
    return new TextDecoder().decode(this.#mutated(new TextEncoder().encode(near)));
  }

  bytes(most: number): Uint8Array {
    return Uint8Array.from({ length: this.#below(most + 1) }, () => this.#below(256));
  }

  #verify(): void {
    const line = (): string => this.text().slice(0, 300);
    const known = { appSecret: 'secret', acceptsToken: () => true };
    verifySignature(
      {
        ...{ method: line(), path: line(), query: line(), body: this.bytes(50) },
        ...{ apiKey: line(), authorization: line(), timestamp: line(), signature: line() },
      },
      { appOf: () => known, now: MACHINE_START, skewMs: 300_000 },
    );
  }

  #expectWireError(read: () => unknown): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
    }
  }

  #mutated(bytes: Uint8Array): Uint8Array {
    const changed = [...bytes];
    for (let times = 1 + this.#below(4); times > 0; times -= 1) {
      const at = this.#below(changed.length + 1);
      const kind = this.#below(4);
      if (kind === 0) changed.splice(at, this.#below(6));
      else if (kind === 1) changed.splice(at, 0, ...this.bytes(6));
      else if (kind === 2) changed.splice(at, 1, this.#below(256));
      else changed.push(...changed.slice(at, at + this.#below(30)));
    }
    return Uint8Array.from(changed);
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }

  #chance(share: number): boolean {
    return this.#random.uniform() < share;
  }

  #below(end: number): number {
    return Math.floor(this.#random.uniform() * end);
  }
}
