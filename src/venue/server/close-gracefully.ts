import type { Duplex } from 'node:stream';
import { millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { FAREWELL_MS } from './limits.ts';

/**
 * Says one last thing on a connection and hangs up: politely at first, so that it can be read, and for good soon after. A
 * client that never hangs up itself would else keep its place for ever.
 * @see docs/reliability.md, S-20
 */
export function closeGracefully(socket: Duplex, text: string, machine: Pick<Clock, 'now' | 'at'>): void {
  const giveUp = machine.at(millis(machine.now() + FAREWELL_MS), 'timer', () => socket.destroy());
  socket.once('close', giveUp);
  socket.on('error', () => socket.destroy());
  socket.end(text);
}
