import type { DayNotice, DenialsNotice, FillsNotice, Notice } from '../../model/notice.ts';

/** Most fills, and most groups of denials, that one notice lists; the others are counted. */
const FILLS_MAX = 100;
const DENIALS_MAX = 20;

/** Joins later fills to earlier ones. */
export function joinFills(earlier: FillsNotice, later: FillsNotice): FillsNotice {
  const all = [...earlier.fills, ...later.fills];
  const fills = all.slice(0, FILLS_MAX);
  return { fills, more: earlier.more + later.more + all.length - fills.length };
}

/** Joins later denials to earlier ones: those by one rule in one symbol are one entry, with the newest reason. */
export function joinDenials(earlier: DenialsNotice, later: DenialsNotice): DenialsNotice {
  const groups = new Map(earlier.denials.map((each) => [`${each.rule} ${each.symbol}`, each]));
  let more = earlier.more + later.more;
  for (const each of later.denials) {
    const key = `${each.rule} ${each.symbol}`;
    const known = groups.get(key);
    if (known === undefined && groups.size >= DENIALS_MAX) more += each.count;
    else groups.set(key, { ...each, count: each.count + (known?.count ?? 0) });
  }
  return { denials: [...groups.values()], more };
}

/** Joins a later day to earlier ones: the counts are sums, all else is of the later one. */
function joinDays(earlier: DayNotice, later: DayNotice): DayNotice {
  return {
    ...later,
    from: earlier.from ?? earlier.day,
    fills: earlier.fills + later.fills,
    orders: earlier.orders + later.orders,
    denied: earlier.denied + later.denied,
  };
}

/**
 * Notices that wait for their delivery, in order. Fills, denials and days that wait are joined with later ones, so that
 * only alarms and changes of the gate add up.
 */
export class NoticeQueue {
  readonly #waiting: Notice[] = [];
  readonly #lengthMax: number;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Adds a notice; returns false if the oldest had to be dropped for it. */
  push(added: Notice): boolean {
    const at = this.#waiting.findIndex(({ kind }) => kind === added.kind);
    const waiting = this.#waiting[at];
    if (waiting?.kind === 'fills' && added.kind === 'fills') {
      this.#waiting[at] = { kind: 'fills', notice: joinFills(waiting.notice, added.notice) };
      return true;
    }
    if (waiting?.kind === 'denials' && added.kind === 'denials') {
      this.#waiting[at] = { kind: 'denials', notice: joinDenials(waiting.notice, added.notice) };
      return true;
    }
    if (waiting?.kind === 'day' && added.kind === 'day') {
      this.#waiting.splice(at, 1);
      this.#waiting.push({ kind: 'day', notice: joinDays(waiting.notice, added.notice) });
      return true;
    }
    const isFull = this.#waiting.length >= this.#lengthMax;
    if (isFull) this.#waiting.shift();
    this.#waiting.push(added);
    return !isFull;
  }

  /** Puts a notice back in front of the others; drops it if there are too many, as it is the oldest. */
  putBack(notice: Notice): void {
    if (this.#waiting.length < this.#lengthMax) this.#waiting.unshift(notice);
  }

  shift(): Notice | undefined {
    return this.#waiting.shift();
  }
}
