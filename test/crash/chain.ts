import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { BrokerClient } from '#src/broker/connect.ts';
import type { Millis } from '#src/model/time.ts';
import type { BotPlan, KillPoint, Recovered } from './plan.ts';
import { pointText } from './plan.ts';
import { compare, type Truth, truthOf, type Verdict } from './truth.ts';

/** One account whose bots are killed at one point after another; each recovers from the death of the previous one. */
export interface Chain {
  readonly plan: Omit<BotPlan, 'kill' | 'steps' | 'session'>;
  /** Queries the venue about that account. */
  readonly client: Pick<BrokerClient, 'broker'>;
  readonly since: Millis;
  readonly points: readonly KillPoint[];
  /** Path of the bot's program. */
  readonly bot: string;
  /** Folder of compiled code that the processes share. */
  readonly cache: string;
}

/** Result of a chain. */
export interface ChainResult extends Verdict {
  /** Points at which a bot died. */
  readonly points: number;
  /** Points that a bot never reached. */
  readonly missed: readonly string[];
  /** Recoveries that were compared with the venue. */
  readonly compared: number;
  /** Journals that a bot archived to continue in a new file. */
  readonly compactJournal: number;
}

/** Enough orders of each kind for the third cancel; with algorithms, two of each kind. */
const STEPS = { orders: 10, algorithms: 14, parts: 14 };
/** Milliseconds of machine time after which a bot that has neither died nor ended counts as hanging. */
const PATIENCE_MS = 180_000;

/** Maximum reads of a bot whose open orders may still be filled; the bot waits half a second before each. */
const LOOKS_MAX = 20;

/** Runs a chain to its end, followed by one bot that is not killed. */
export async function runChain(chain: Chain): Promise<ChainResult> {
  const lost: string[] = [];
  const doubled: string[] = [];
  const divergent: string[] = [];
  const missed: string[] = [];
  let compared = 0;
  let points = 0;
  for (const kill of [...chain.points, undefined]) {
    const end = await runBot(chain, kill);
    const where = kill === undefined ? 'the last bot' : `the bot that was to die ${pointText(kill)}`;
    if (end.verdict !== undefined) {
      compared += 1;
      lost.push(...end.verdict.lost.map((what) => `${what} (${where})`));
      doubled.push(...end.verdict.doubled.map((what) => `${what} (${where})`));
      divergent.push(...end.verdict.divergent.map((what) => `${what} (${where})`));
    }
    if (end.killed) points += 1;
    else if (kill !== undefined) missed.push(pointText(kill));
  }
  const compactJournal = readdirSync(chain.plan.folder).filter((name) =>
    /^journal-\d+\.db$/.test(name),
  ).length;
  return { points, missed, compared, compactJournal, lost, doubled, divergent };
}

/**
 * Acts as the operator: settles unknown orders, then resumes, one command per line. Queries the bot again afterwards.
 */
function asOperator(known: Recovered, truth: Truth, found: Verdict): readonly string[] {
  const unknown = known.orders.filter(
    ({ submission }) => submission === 'unknown' || submission === 'abandoned',
  );
  if (unknown.length > 0)
    return unknown.slice(0, 1).map(({ intentId }) => {
      const order = truth.orders.find((each) => each.intentId === intentId);
      return `settle ${intentId}${order === undefined ? '' : ` ${order.orderId}`}`;
    });
  const isStopped = known.gate !== 'active' && found.lost.length + found.divergent.length === 1;
  return isStopped ? ['resume'] : [];
}

function isWrong({ lost, doubled, divergent }: Verdict): boolean {
  return lost.length + doubled.length + divergent.length > 0;
}

interface BotEnd {
  readonly killed: boolean;
  /** Undefined if it died before it had recovered. */
  readonly verdict: Verdict | undefined;
}

async function runBot(
  { plan, client, since, bot, cache }: Chain,
  kill: KillPoint | undefined,
): Promise<BotEnd> {
  const session = kill?.session ?? 'orders';
  const reported: BotPlan = {
    ...{ ...plan, kill },
    session,
    steps: kill === undefined ? 0 : STEPS[session],
  };
  const child = spawn(process.execPath, [bot, JSON.stringify(reported)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stdin.on('error', () => undefined);
  const late = setTimeout(() => child.kill('SIGTERM'), PATIENCE_MS);
  let verdict: Verdict | undefined;
  const closed = once(child, 'close');
  let asked = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const known: Recovered = JSON.parse(line);
    const truth = await truthOf(client, since);
    const found = compare(known, truth);
    asked += 1;
    // Without a list of orders, only a person can find the result of an order whose answer was lost; the harness acts
    // as that person.
    const words = plan.onlyDocumented && asked < LOOKS_MAX ? asOperator(known, truth, found) : [];
    if (words.length > 0) {
      for (const word of words) child.stdin.write(`${word}\n`);
      continue;
    }
    // An open order may have been filled further between the two reads, or an algorithm may have sent one: then both
    // are read again.
    const isMoving = known.algorithms > 0 || known.orders.some(({ live }) => live);
    const mayMove = isMoving && asked < LOOKS_MAX;
    if (mayMove && isWrong(found)) {
      child.stdin.write('again\n');
      continue;
    }
    verdict = found;
    child.stdin.write('go\n');
  }
  const [code, signal] = await closed;
  clearTimeout(late);
  if (signal !== 'SIGKILL' && code !== 0)
    throw new Error(
      `A bot ended with ${code ?? signal} instead of dying ${kill === undefined ? 'not at all' : pointText(kill)}:\n${said}`,
    );
  return { killed: signal === 'SIGKILL', verdict };
}
