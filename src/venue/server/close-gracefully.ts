import type { Duplex } from 'node:stream';
import { millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { CLOSE_TIMEOUT_MS } from './limits.ts';

/**
 * Sends a last message and closes the connection, by force if the client has not closed it after `CLOSE_TIMEOUT_MS`.
 * Otherwise a client that never disconnects would occupy its connection for ever.
 * @see docs/reliability.md, S-20
 */
export function closeGracefully(socket: Duplex, text: string, machine: Clock): void {
  const cancelTimeout = machine.at(millis(machine.now() + CLOSE_TIMEOUT_MS), 'timer', () => socket.destroy());
  socket.once('close', cancelTimeout);
  socket.on('error', () => socket.destroy());
  socket.end(text);
}
