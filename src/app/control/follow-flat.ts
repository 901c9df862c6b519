import { plural } from '../../model/plural.ts';
import { stampText } from '../../reports/format.ts';
import type { BotStatus } from './bot-status.ts';
import { requestBot } from './request-bot.ts';

/** The part of a bot's status that shows its progress to flat. */
export type FlatFacts = Pick<BotStatus, 'openOrders' | 'positions' | 'flattening'>;

/** Progress of a bot to flat, as one line. */
export interface FlatProgress {
  readonly text: string;
  /** `flat`: no open orders and no positions; `kept`: positions remain that the bot no longer tries to close. */
  readonly state: 'flat' | 'under way' | 'kept';
}

/**
 * Creates a counter of open orders and positions since the first status; `isBegun` once the bot has executed the
 * kill.
 */
export function flatCounter(): (facts: FlatFacts, isBegun: boolean) => FlatProgress {
  let orders: ReadonlySet<string> | undefined;
  const positions = new Set<string>();

  return (facts, isBegun) => {
    const open = new Set(facts.openOrders.map(({ intentId }) => intentId));
    const held = new Set(facts.positions.map(({ symbol }) => symbol));
    // Later orders are those that close the positions.
    orders ??= open;
    for (const symbol of held) positions.add(symbol);
    const gone = [...orders].filter((id) => !open.has(id)).length;
    const closed = [...positions].filter((symbol) => !held.has(symbol)).length;
    const counts = `orders cancelled or filled ${gone} of ${orders.size}, positions closed ${closed} of ${positions.size}`;
    if (isBegun && open.size === 0 && facts.flattening.length === 0) {
      if (held.size === 0) return { state: 'flat', text: `Flat: ${counts}` };
      const positionTexts = facts.positions.map(({ symbol, quantity }) => `${quantity} ${symbol}`).join(', ');
      return {
        state: 'kept',
        text: `Not flat: ${counts}; the bot does not sell ${positionTexts}, see its alarms`,
      };
    }
    const waits = facts.flattening.map(waitText);
    const others = open.size > 0 && waits.length === 0 ? [`cancels of ${plural(open.size, 'order')}`] : [];
    const waiting = [...waits, ...others].join('; ');
    return { state: 'under way', text: `${counts}${waiting === '' ? '' : `; waits for ${waiting}`}` };
  };
}

function waitText({ symbol, waitsFor, until }: FlatFacts['flattening'][number]): string {
  switch (waitsFor) {
    case 'cancels':
      return `the cancels in ${symbol}`;
    case 'closing-order':
      return `the order that closes ${symbol}`;
    case 'market-open': {
      const opens = until === null ? '' : `, not before ${stampText(until).slice(0, 16)} UTC`;
      return `the market of ${symbol} to open${opens}`;
    }
    case 'next-look':
      return `the bot's next look at ${symbol}`;
  }
}

export type FlatEnd = FlatProgress['state'] | 'interrupted' | 'silent';

/** A display of progress that cannot affect the kill: it only reads the status. */
export interface FlatFollower {
  /** Follows until flat, for at most this many milliseconds; call it after the bot answered the kill. */
  untilFlat(forMs: number): Promise<FlatEnd>;
  stop(): void;
}

const POLL_INTERVAL_MS = 250;
const RESPONSE_TIMEOUT_MS = 5_000;

/** Shows each new state of a bot on its way to flat. Always resolves; an error only ends the display. */
export function followFlat(folder: string, show: (line: string) => void): FlatFollower {
  const count = flatCounter();
  const stopped = new AbortController();
  let isBegun = false;
  let untilMs = Number.POSITIVE_INFINITY;
  let lastText = '';

  async function follow(): Promise<FlatEnd> {
    for (;;) {
      const hadBegun = isBegun;
      const answer = await requestBot(folder, {
        request: { kind: 'status' },
        timeoutMs: RESPONSE_TIMEOUT_MS,
      });
      if (stopped.signal.aborted) return 'interrupted';
      if (answer.kind !== 'status') {
        if (hadBegun) return 'silent';
      } else {
        const progress = count(answer.status as FlatFacts, hadBegun);
        if (progress.text !== lastText) show(progress.text);
        lastText = progress.text;
        if (progress.state !== 'under way') return progress.state;
      }
      if (performance.now() >= untilMs) return 'under way';
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_INTERVAL_MS);
        stopped.signal.addEventListener('abort', () => [clearTimeout(timer), resolve()], { once: true });
      });
      if (stopped.signal.aborted) return 'interrupted';
    }
  }

  const following = follow().catch((): FlatEnd => 'silent');
  return {
    untilFlat(forMs) {
      isBegun = true;
      untilMs = performance.now() + forMs;
      return following;
    },
    stop: () => stopped.abort(),
  };
}
