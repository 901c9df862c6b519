import { BotFollower, type BotSnapshot } from './bot-follower.ts';
import type { BotSource, ListedBot, Machine } from './bot-source.ts';

const ROW_FIELDS = [
  ...([
    'name',
    'state',
    'strategy',
    'config',
    'since',
    'mode',
    'origin',
    'currency',
    'equity',
    'equityAt',
  ] as const),
  ...([
    'zone',
    'marketTime',
    'dayProfit',
    'gate',
    'quoteAgesMs',
    'alarms',
    'warning',
    'fault',
    'seq',
    'unread',
  ] as const),
] as const;

/** A row of the Bots page. */
export type BotRow = Pick<BotSnapshot, (typeof ROW_FIELDS)[number]> & {
  readonly positions: number;
  readonly openOrders: number;
  readonly denials: number;
  readonly unknownOrders: number;
};

/** Every bot of the project with its follower; a bot is followed after a browser has requested it. */
export class Bots {
  readonly #source: BotSource;
  readonly #machine: Pick<Machine, 'pause'>;
  readonly #followers = new Map<string, BotFollower>();

  constructor(source: BotSource, machine: Pick<Machine, 'pause'>) {
    this.#source = source;
    this.#machine = machine;
  }

  /** Returns the bot with that name; undefined if there is none. */
  find(name: string): ListedBot | undefined {
    return this.#source.list().find((bot) => bot.name === name);
  }

  follower({ name }: Pick<ListedBot, 'name'>): BotFollower {
    const known = this.#followers.get(name);
    if (known !== undefined) return known;
    const follower = new BotFollower(() => this.#source.journal(name), this.#machine);
    this.#followers.set(name, follower);
    return follower;
  }

  /** Reads one bot's journal, completely or for a moment, and requests the bot's status. */
  async refresh(bot: ListedBot, much: 'whole' | 'some'): Promise<BotSnapshot> {
    const follower = this.follower(bot);
    const [live] = await Promise.all([
      bot.state === 'running' ? this.#source.status(bot.name) : undefined,
      much === 'whole' ? follower.read() : follower.readSome(),
    ]);
    follower.updateLive(live);
    const state = bot.state === 'running' && live === undefined ? 'silent' : bot.state;
    return follower.snapshot({ ...bot, state }, this.#source.killMark(bot.name));
  }

  /** Returns all bots as rows, running ones first; the newest `max` of them. */
  async rows(max: number): Promise<readonly BotRow[]> {
    const bots = this.#source
      .list()
      .toSorted((one, other) => rank(one) - rank(other))
      .slice(0, max);
    const snapshots = await Promise.all(bots.map((bot) => this.refresh(bot, 'some')));
    return snapshots.map(rowOf);
  }

  close(): void {
    for (const follower of this.#followers.values()) follower.close();
    this.#followers.clear();
  }
}

function rank({ state }: ListedBot): number {
  return state === 'running' || state === 'silent' ? 0 : 1;
}

function pick<From, Key extends keyof From>(from: From, keys: readonly Key[]): Pick<From, Key> {
  // Exactly these keys are copied.
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<From, Key>;
}

function rowOf(snapshot: BotSnapshot): BotRow {
  const { positions, openOrders, unknownOrders, flow } = snapshot;
  return {
    ...pick(snapshot, ROW_FIELDS),
    alarms: snapshot.alarms.slice(0, 1),
    positions: positions.length,
    openOrders: openOrders.length,
    unknownOrders: unknownOrders.length,
    denials: Object.values(flow.deniedByRule).reduce((sum, count) => sum + count, 0),
  };
}
