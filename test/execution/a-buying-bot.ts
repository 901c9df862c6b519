import { createEngineRig, type EngineRig, type RigOptions } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';

/** A rig whose strategy targets 100 AAPL.US at every quote, with a limit that is not reached. */
export function buying(options: RigOptions = {}): EngineRig {
  const rig = createEngineRig({
    strategy: {
      onQuote: (_quote, { orders }) => orders.buy(AAPL, 100, { type: 'LO', price: 9 }),
    },
    ...options,
  });
  rig.start();
  return rig;
}

export const submits = (rig: EngineRig) => rig.venue.calls.filter((call) => call.startsWith('submit')).length;
export const cancels = (rig: EngineRig) => rig.venue.calls.filter((call) => call.startsWith('cancel'));
export const standing = (rig: EngineRig) => rig.engine.state.gate.standing;
