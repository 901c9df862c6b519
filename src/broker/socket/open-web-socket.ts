import { WebSocket } from 'ws';
import { millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { DEFAULT_FRAME_LIMITS } from '../../wire/frame.ts';
import { BrokerError } from '../broker-error.ts';

/** The address of a web socket and its connection deadline. */
export interface WebSocketOptions {
  readonly address: URL;
  readonly language: string;
  readonly machine: Clock;
  readonly openMs: number;
  /** `quote socket` or `trade socket`, for errors. */
  readonly name: string;
  /** Cancels the attempt. */
  readonly signal: AbortSignal;
}

/**
 * Opens a web socket: no compression, no redirects, no message above 1 MB. Resolves when it is open; rejects with
 * BrokerError (`not-sent`: nothing was sent on it).
 */
export function openWebSocket(options: WebSocketOptions): Promise<WebSocket> {
  const { address, language, machine, openMs, name, signal } = options;
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, {
      headers: { 'accept-language': language },
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: DEFAULT_FRAME_LIMITS.maxFrameBytes,
    });

    function settled(): void {
      cancelDeadline();
      signal.removeEventListener('abort', abandon);
    }

    function abandon(): void {
      fail('closed while opening');
      socket.terminate();
    }

    function fail(reason: string, cause?: unknown): void {
      settled();
      reject(
        new BrokerError('not-sent', `Cannot open the ${name} at "${address.origin}": ${reason}`, {
          endpoint: name,
          retryable: true,
          cause,
        }),
      );
    }

    const cancelDeadline = machine.at(millis(machine.now() + openMs), 'timer', () => {
      fail(`no answer within ${openMs} ms`);
      socket.terminate();
    });
    socket.on('error', (error) => fail(error.message, error));
    socket.once('open', () => {
      settled();
      resolve(socket);
    });
    if (signal.aborted) abandon();
    else signal.addEventListener('abort', abandon);
  });
}
