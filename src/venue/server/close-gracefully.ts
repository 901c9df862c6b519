import type { Duplex } from 'node:stream';
import { millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { FAREWELL_MS } from './limits.ts';

/**
 * Sends one last message on a connection and closes it: gracefully at first, so that it can be read, and by force soon after. A
 * client that never hangs up itself would else keep its place for ever.
 * @see docs/reliability.md, S-20
 */
export function closeGracefully(socket: Duplex, text: string, machine: Clock): void {
  const giveUp = machine.at(millis(machine.now() + FAREWELL_MS), 'timer', () => socket.destroy());
  socket.once('close', giveUp);
  socket.on('error', () => socket.destroy());
  socket.end(text);
}
