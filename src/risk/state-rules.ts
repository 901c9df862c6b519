import { GATE_STATES } from '../model/gate.ts';
import { unreachable } from '../model/unreachable.ts';
import { number, type RiskRule } from './rule.ts';

/**
 * What each state of the gate lets pass. An operator's flatten passes in any state if it only reduces. Amends to
 * fewer shares pass unless the gate is killed, because an exit for more than is held would reverse the position.
 */
export const gateState: RiskRule = {
  name: 'gate-state',
  breach: 'nothing',
  judge(intent, { gate, opens }) {
    const denied = `Gate is ${gate.state} by ${gate.rule}: ${gate.reason}`;
    const numbers = () => [number('gate', gate.state, GATE_STATES[0])];
    if (intent.purpose === 'flatten') {
      return opens
        ? { numbers, denied: `A flatten of "${intent.terms.symbol}" would add exposure` }
        : { numbers };
    }
    switch (gate.state) {
      case 'active':
        return undefined;
      case 'reduce-only':
        return opens ? { numbers, denied } : { numbers };
      case 'halted':
        return intent.reducesQuantity === true ? { numbers } : { numbers, denied };
      case 'killed':
        return { numbers, denied };
      default:
        return unreachable(gate.state);
    }
  },
};

/** A symbol is halted: its position may be closed, nothing is added. @see docs/reliability.md T-39 */
export const symbolHalt: RiskRule = {
  name: 'symbol-halt',
  breach: 'nothing',
  judge({ terms }, { symbolHalt: why, opens }) {
    if (why === undefined) return undefined;
    const numbers = () => [number('symbol', 'halted', 'active')];
    return opens ? { numbers, denied: `Nothing is opened in "${terms.symbol}": ${why}` } : { numbers };
  },
};

/** Nothing opens outside the hours of a schedule. */
export const openingHours: RiskRule = {
  name: 'opening-stopped',
  breach: 'nothing',
  judge(_intent, { openingStopped: why, opens }) {
    if (why === undefined) return undefined;
    const numbers = () => [number('opening', 'stopped', 'allowed')];
    return opens ? { numbers, denied: `Nothing is opened now: ${why}` } : { numbers };
  },
};

/**
 * While an order of a symbol is unknown, nothing opens in it, and nothing is sent on the side of that order. @see
 * docs/reliability.md, "Submits and unknown orders"
 */
export const unknownBefore: RiskRule = {
  name: 'unknown-order',
  breach: 'nothing',
  judge({ terms }, { unknownSides, opens }) {
    if (unknownSides.length === 0) return undefined;
    const stopped = unknownSides.includes(terms.side) || opens;
    const numbers = () => [number('unknown orders', unknownSides.join(', '), 'none')];
    if (!stopped) return { numbers };
    return { numbers, denied: `An older order of "${terms.symbol}" to ${unknownSides[0]} is unknown` };
  },
};
