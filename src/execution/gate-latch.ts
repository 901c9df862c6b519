import type { BotState } from '../events/fold.ts';
import { GATE_STATES, type GateStanding } from '../model/gate.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { GateWish } from '../risk/gate-state.ts';

/** How the gate stands at this very instant: as journaled, or stricter where word of it is still on its way to the disk. */
export interface GateLatch {
  standing(): GateStanding;
  /** Tightens at once; the journal hears of it when its turn comes. What is milder than what holds changes nothing. */
  trip(wish: GateWish, at: Millis): void;
  /** Forgets what was tripped: the journal knows it now, or an operator resumed. */
  settle(): void;
  /** Why nothing is opened in a symbol; undefined when something may be. */
  halted(symbol: SecuritySymbol): string | undefined;
  tripSymbol(symbol: SecuritySymbol, reason: string): void;
}

/** Opens and closes with the journaled state, and closes sooner. */
export function createGateLatch(
  state: Pick<BotState, 'gate'>,
  /** Why a kill holds that was said beside this process; undefined when none does. */
  killMark?: () => string | undefined,
): GateLatch {
  let tripped: GateStanding | undefined;
  const symbols = new Map<SecuritySymbol, string>();

  function standing(): GateStanding {
    const journaled = state.gate.standing;
    const marked = killMark?.();
    if (marked !== undefined && journaled.state !== 'killed')
      return { state: 'killed', by: 'operator', rule: 'kill', reason: marked, since: journaled.since };
    return tripped !== undefined && isStricter(tripped, journaled) ? tripped : journaled;
  }

  return {
    standing,
    trip({ to, by, rule, reason }, at) {
      const wished: GateStanding = { state: to, by, rule, reason, since: at };
      if (isStricter(wished, standing())) tripped = wished;
    },
    settle() {
      tripped = undefined;
      symbols.clear();
    },
    halted: (symbol) => state.gate.haltedSymbols.get(symbol)?.reason ?? symbols.get(symbol),
    tripSymbol: (symbol, reason) => void symbols.set(symbol, reason),
  };
}

function isStricter(one: GateStanding, other: GateStanding): boolean {
  return GATE_STATES.indexOf(one.state) > GATE_STATES.indexOf(other.state);
}
