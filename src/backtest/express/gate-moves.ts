import type { GateMoved } from '../../events/event.ts';
import { createGateFold } from '../../events/records/gate-record.ts';
import { createRestrictions, type Restrictions } from '../../execution/gate/restrictions.ts';
import { transitionFor } from '../../execution/operator/operator-commands.ts';
import { toDecimal } from '../../model/amount.ts';
import type { GateStanding } from '../../model/gate.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { OperatorRequest } from '../../ports/operator.ts';
import { drawdown, lossBreach } from '../../risk/loss-rules.ts';
import { dataEnd, type RunSetup } from '../setup.ts';
import {
  createSimulatedOperator,
  type OperatorsView,
  type SimulatedOperator,
} from '../simulated-operator.ts';
import { bailOut } from './bail-out.ts';

/** The access of gate moves to a run. */
export interface GateMovesHost {
  now(): Millis;
  /** Returns positions and open orders for an operator. */
  view(): Pick<OperatorsView, 'portfolio' | 'live'>;
  /** Called when a rule has restricted the gate further. */
  moved(event: GateMoved): void;
  /** Returns equity at a resume, in units. Bails out if the full engine would refuse the resume. */
  equityAtResume(): number;
  /** Called after a resume: losses count from that equity. */
  resumed(equity: number): void;
  flatten(symbol: SecuritySymbol): void;
}

/** Figures for the computation of losses, in units. */
interface ExactLosses {
  readonly equity: number;
  readonly dayStartEquity: number;
  readonly peak: number;
}

/** The gate of a run, which losses restrict and an operator resumes, by the functions of the full engine. */
export class GateMoves {
  /** The simulated operator; undefined if there is none. */
  readonly operator: SimulatedOperator | undefined;
  /** When the operator acts next; NEVER if nothing is planned. */
  nextAt: Millis = NEVER;
  readonly #limits: RunSetup['limits'];
  readonly #symbols: readonly SecuritySymbol[];
  readonly #host: GateMovesHost;
  readonly #fold = createGateFold();
  readonly #restrictions: Restrictions;
  readonly #timers: { readonly at: Millis; readonly action: () => void }[] = [];

  /** Queue of the operator's requests; a bail-out inside the observer would be lost. */
  readonly #requests: OperatorRequest[] = [];

  constructor(setup: RunSetup, host: GateMovesHost) {
    const { record } = this.#fold;
    const clock = {
      now: () => host.now(),
      at: (at: Millis, _phase: unknown, action: () => void) => this.#schedule(at, action),
    };
    this.#limits = setup.limits;
    this.#host = host;
    this.#symbols = setup.securities.map(({ symbol }) => symbol);
    this.#restrictions = createRestrictions({
      clock,
      recorder: {
        state: { gate: record },
        record: (event) => {
          this.#fold.apply(event, undefined);
          this.operator?.handleEvent(event);
          if (event.kind === 'gate-moved' && event.state !== 'active') host.moved(event);
          return event;
        },
      },
    });
    if (setup.operator !== 'next-day') return;
    this.operator = createSimulatedOperator({
      clock,
      state: () => ({ ...host.view(), gate: record, order: () => undefined }),
      symbols: this.#symbols,
      until: dataEnd(setup),
    });
    this.operator.requests$.subscribe((request) => this.#requests.push(request));
  }

  get standing(): GateStanding {
    return this.#fold.record.standing;
  }

  /** Whether the drawdown limit restricts the gate. */
  get isDrawdownRestricted(): boolean {
    return this.#fold.record.restrictions.has(drawdown.name);
  }

  /** Restricts the gate if losses exceed a limit. */
  review({ equity, dayStartEquity, peak }: ExactLosses): void {
    const figures = {
      equity: toDecimal(equity),
      dayProfit: toDecimal(equity - dayStartEquity),
      resumedEquity: undefined,
      peakEquity: toDecimal(peak),
    };
    const transition = lossBreach(figures, this.#limits);
    if (transition !== undefined) this.#restrictions.impose(transition, figures.equity);
  }

  /** Records that the gate's state denied an order. */
  denied(place: number, side: 1 | -1): void {
    const symbol = this.#symbols[place];
    if (symbol !== undefined) this.operator?.handleDenial({ symbol, side: side === 1 ? 'buy' : 'sell' });
  }

  /** Executes the operator's next planned action. */
  fire(): void {
    const at = this.nextAt;
    const due = this.#timers.findIndex((timer) => timer.at === at);
    const [timer] = this.#timers.splice(due, 1);
    this.nextAt = millis(Math.min(NEVER, ...this.#timers.map((each) => each.at)));
    timer?.action();
    for (let request = this.#requests.shift(); request !== undefined; request = this.#requests.shift())
      this.#execute(request);
  }

  #schedule(at: Millis, action: () => void): () => void {
    this.#timers.push({ at, action });
    if (at < this.nextAt) this.nextAt = at;
    return () => undefined;
  }

  #execute(request: OperatorRequest): void {
    const { command } = request;
    if (command.kind === 'resume') this.#resume(request);
    else if (command.kind === 'flatten' && command.symbols !== undefined)
      for (const symbol of command.symbols) this.#host.flatten(symbol);
    else bailOut(`operator command ${command.kind}`);
  }

  #resume(request: OperatorRequest): void {
    const equity = this.#host.equityAtResume();
    const seen = this.#restrictions.seen();
    this.#restrictions.resume(transitionFor(request, 'active'), seen, toDecimal(equity));
    this.#host.resumed(equity);
    request.answer?.({ kind: 'done', message: '' });
  }
}
