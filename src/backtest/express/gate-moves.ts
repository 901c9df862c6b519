import type { GateMoved } from '../../events/event.ts';
import { createGateFold, openingStopped } from '../../events/records/gate-record.ts';
import { createRestrictions, type Restrictions } from '../../execution/gate/restrictions.ts';
import { transitionFor } from '../../execution/operator/operator-commands.ts';
import { startSchedule } from '../../execution/operator/schedule.ts';
import { toDecimal } from '../../model/amount.ts';
import type { GateStanding } from '../../model/gate.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import type { OperatorCommand, OperatorRequest } from '../../ports/operator.ts';
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
  /** Called when a schedule has stopped opening, with the reason, or allowed it again. */
  openingChanged(stopped: string | undefined): void;
  /** Cancels all orders of symbols. */
  cancelAll(symbols: readonly SecuritySymbol[]): void;
  /** Cancels all orders of symbols, and closes their positions at the market. */
  flatten(symbols: readonly SecuritySymbol[]): void;
}

/** Figures for the computation of losses, in units. */
interface ExactLosses {
  readonly equity: number;
  readonly dayStartEquity: number;
  readonly peak: number;
}

/**
 * The gate of a run, which losses and a schedule restrict and an operator resumes, by the functions of the full engine.
 */
export class GateMoves {
  /** The simulated operator; undefined if there is none. */
  readonly operator: SimulatedOperator | undefined;
  /** When the operator or the schedule acts next; NEVER if nothing is planned. */
  nextAt: Millis = NEVER;
  readonly #limits: RunSetup['limits'];
  readonly #symbols: readonly SecuritySymbol[];
  readonly #market: Market;
  readonly #host: GateMovesHost;
  readonly #fold = createGateFold();
  readonly #restrictions: Restrictions;
  readonly #timers: { readonly at: Millis; readonly action: () => void }[] = [];

  /** Queue of requests; a bail-out inside the observer would be lost. */
  readonly #requests: OperatorRequest[] = [];

  constructor(setup: RunSetup, host: GateMovesHost) {
    const { record } = this.#fold;
    const clock = {
      now: () => host.now(),
      at: (at: Millis, _phase: unknown, action: () => void) => this.callAt(at, action),
    };
    this.#limits = setup.limits;
    this.#host = host;
    this.#symbols = setup.securities.map(({ symbol }) => symbol);
    this.#market = marketOf(this.#symbols[0] ?? bailOut('no security'));
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
    const { schedule = {} } = setup;
    startSchedule({ schedule, symbols: this.#symbols, clock, until: dataEnd(setup) }, (request) =>
      this.#requests.push(request),
    );
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

  /** Why the schedule has stopped opening; undefined while it allows it. */
  get openingStopped(): string | undefined {
    return openingStopped(this.#fold.record, this.#market);
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

  /** Executes the next planned action. */
  fire(): void {
    const at = this.nextAt;
    const due = this.#timers.findIndex((timer) => timer.at === at);
    const [timer] = this.#timers.splice(due, 1);
    this.nextAt = millis(Math.min(NEVER, ...this.#timers.map((each) => each.at)));
    timer?.action();
    for (let request = this.#requests.shift(); request !== undefined; request = this.#requests.shift())
      this.#execute(request);
  }

  /** Plans an action after the closes of a time. */
  callAt(at: Millis, action: () => void): () => void {
    this.#timers.push({ at, action });
    if (at < this.nextAt) this.nextAt = at;
    return () => undefined;
  }

  #execute(request: OperatorRequest): void {
    const { command } = request;
    switch (command.kind) {
      case 'resume':
        this.#resume(request);
        return;
      case 'stop-opening':
      case 'start-opening':
        this.#setOpening(request, command);
        return;
      case 'cancel-all':
        this.#host.cancelAll(command.symbols ?? this.#symbols);
        return;
      case 'flatten':
        this.#host.flatten(command.symbols ?? this.#symbols);
        return;
      default:
        bailOut(`operator command ${command.kind}`);
    }
  }

  #setOpening(
    { by, reason }: OperatorRequest,
    { kind, symbols }: Extract<OperatorCommand, { kind: 'stop-opening' | 'start-opening' }>,
  ): void {
    const at = this.#host.now();
    const taken = { kind: 'operator-commanded', at, command: kind, by, reason, taken: true } as const;
    this.#fold.apply({ ...taken, message: '', ...omitUndefined({ symbols }) }, undefined);
    this.#host.openingChanged(this.openingStopped);
  }

  #resume(request: OperatorRequest): void {
    const equity = this.#host.equityAtResume();
    const seen = this.#restrictions.seen();
    this.#restrictions.resume(transitionFor(request, 'active'), seen, toDecimal(equity));
    this.#host.resumed(equity);
    request.answer?.({ kind: 'done', message: '' });
  }
}
