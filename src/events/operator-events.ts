import type { SecuritySymbol } from '../model/symbol.ts';
import type { EventOf } from './event-base.ts';

/** Names of what an operator, or a schedule, may ask of a running bot. */
export type CommandName =
  | 'kill'
  | 'halt'
  | 'reduce-only'
  | 'resume'
  | 'cancel-all'
  | 'flatten'
  | 'settle'
  | 'adopt-books'
  | 'stop-opening'
  | 'start-opening';

/** A command to the running bot, and whether it was carried out. */
export interface OperatorCommanded extends EventOf<'operator-commanded'> {
  readonly command: CommandName;
  /** Origin of the command: `cli`, `signal`, `kill file`, `schedule`. */
  readonly by: string;
  readonly reason: string;
  /** What a `cancel-all` or `flatten` is about; absent: everything. */
  readonly symbols?: readonly SecuritySymbol[];
  readonly taken: boolean;
  /** Particulars of the command, or why it was refused. */
  readonly message: string;
}

/** Nothing is opened in a symbol any more until an operator resumes (T-39). */
export interface SymbolHalted extends EventOf<'symbol-halted'> {
  readonly symbol: SecuritySymbol;
  readonly rule: string;
  readonly reason: string;
}

export type OperatorEvent = OperatorCommanded | SymbolHalted;
