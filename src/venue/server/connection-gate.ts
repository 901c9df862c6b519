import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { millis, NEVER } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { SocketSide } from './push-counts.ts';

export interface ConnectionGate {
  admits(side: SocketSide): boolean;
  /** Refuses new connections of a side, or of both, for `ms` milliseconds of machine time. */
  refuseFor(side: SocketSide | undefined, ms: number): void;
  /**
   * Closes all connections and the port for `ms` milliseconds: clients cannot connect, so no byte of a request is
   * sent.
   */
  closePortFor(ms: number): void;
  /** Cancels the reopening; a closed port stays closed. */
  close(): void;
}

/** Creates the gate of a server, which may start listening later. @see docs/reliability.md, F-N15, F-N16 */
export function createConnectionGate(server: () => Server, machine: Clock): ConnectionGate {
  const refusedUntil: Record<SocketSide, number> = { quote: 0, trade: 0 };
  let reopen: Cancel | undefined;

  function listenAgain({ address, port }: AddressInfo): void {
    reopen = undefined;
    server().listen(port, address);
  }

  return {
    admits: (side) => machine.now() >= refusedUntil[side],
    refuseFor(side, ms) {
      for (const each of side === undefined ? (['quote', 'trade'] as const) : [side])
        refusedUntil[each] = machine.now() + ms;
    },
    closePortFor(ms) {
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
