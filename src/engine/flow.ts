import type { SluiceEvent } from '../events/event.ts';
import type { FlowCounts } from '../events/run-record.ts';
import type { SignalSource } from '../ports/signal-source.ts';

/** Counts what flows through each stage, from zero; market data is counted where it enters. */
export function createFlow(source: SignalSource) {
  const counted = { signals: 0, intents: 0, denied: 0, orders: 0, fills: 0 };
  return {
    signal: () => {
      counted.signals += 1;
    },
    count: (event: SluiceEvent): void => {
      if (event.kind === 'intent-drafted') counted.intents += 1;
      else if (event.kind === 'intent-denied') counted.denied += 1;
      else if (event.kind === 'submit-acked') counted.orders += 1;
      else if (event.kind === 'order-filled' || event.kind === 'foreign-filled') counted.fills += 1;
    },
    counts: (): FlowCounts => ({ ...source.seen(), ...counted }),
  };
}
