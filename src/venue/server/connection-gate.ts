import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { millis, NEVER } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { SocketSide } from './push-counts.ts';

/** Accepts or refuses connections: the port can be closed for a while, and each socket side by itself. */
export interface ConnectionGate {
  /** Whether a new line of that side is let in now. */
  admits(side: SocketSide): boolean;
  /** Lets no new line of a side in, or of both, for so many milliseconds of machine time. */
  bar(side: SocketSide | undefined, ms: number): void;
  /** Hangs up on everybody and listens nowhere for so long: connections are refused, so that no byte of a request leaves. */
  shut(ms: number): void;
  /** Ends what was to come; a shut port stays shut. */
  close(): void;
}

/** The doors of a server that listens, or will. @see docs/reliability.md, F-N15, F-N16 */
export function createConnectionGate(server: () => Server, machine: Clock): ConnectionGate {
  const barredUntil: Record<SocketSide, number> = { quote: 0, trade: 0 };
  let reopen: Cancel | undefined;

  function listenAgain({ address, port }: AddressInfo): void {
    reopen = undefined;
    server().listen(port, address);
  }

  return {
    admits: (side) => machine.now() >= barredUntil[side],
    bar(side, ms) {
      for (const each of side === undefined ? (['quote', 'trade'] as const) : [side])
        barredUntil[each] = machine.now() + ms;
    },
    shut(ms) {
      const place = server().address();
      if (reopen !== undefined || place === null || typeof place === 'string') return;
      server().close();
      server().closeAllConnections();
      reopen = machine.at(millis(Math.min(NEVER, machine.now() + ms)), 'venue', () => listenAgain(place));
    },
    close() {
      reopen?.();
      reopen = undefined;
    },
  };
}
