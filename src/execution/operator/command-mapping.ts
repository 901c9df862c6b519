import type { SecuritySymbol } from '../../model/symbol.ts';
import type { OperatorCommand, OperatorRequest } from '../../ports/operator.ts';
import type { GateTransition } from '../../risk/gate-state.ts';

/** What a command tightens the gate to before its turn comes. */
export function tightens(command: OperatorCommand): GateTransition['to'] | undefined {
  switch (command.kind) {
    case 'kill':
      return 'killed';
    case 'halt':
      return 'halted';
    case 'reduce-only':
      return 'reduce-only';
    default:
      return undefined;
  }
}

/** The gate transition of a command, with its origin and reason. */
export function transitionFor(
  { command, by, reason, cause }: OperatorRequest,
  to: GateTransition['to'],
): GateTransition {
  const transition = {
    to,
    by: 'operator' as const,
    rule: command.kind,
    reason: reason === '' ? '' : `${reason} (${by})`,
  };
  return cause === undefined ? transition : { ...transition, cause };
}

/** The symbols that a command is about. */
export function inWords(symbols: readonly SecuritySymbol[] | undefined): string {
  return symbols === undefined ? 'all symbols' : symbols.join(', ');
}
