import type { BarColumns } from '../model/bar.ts';
import type { GraphNode } from './series.ts';

/** Columns of signal graph nodes over all bars of one feed, kept from one run to the next. */
export interface FeedColumns {
  /** Bars of the feed. */
  readonly length: number;
  /** Returns the columns of a node that an earlier run computed. */
  get(node: GraphNode): CachedColumns | undefined;
  /** Returns columns to write a node's values into while they are computed; undefined if there is no room. */
  allocate(node: GraphNode): readonly Float64Array[] | undefined;
  /** Keeps columns that were completely written. */
  store(node: GraphNode, known: CachedColumns): void;
  /** A column for the closes of so many bars, until the next run: that of the last run where it is long enough. */
  readonly closesColumn: (bars: number) => Float64Array;
}

/** Columns of a node over a whole feed. */
export interface CachedColumns {
  readonly columns: readonly Float64Array[];
  /** First bar with a value. */
  readonly defined: number;
}

interface Entry extends CachedColumns {
  readonly maker: unknown;
  readonly bytes: number;
  /** The run that last read or wrote it. */
  readonly usedIn: number;
}

/** Maximum number of nodes whose last use is remembered; each trial of a sweep may add some. */
const REQUESTS_MAX = 10_000;

/**
 * Keeps columns for runs of one strategy with different parameters over the same bars, so that indicators that no
 * parameter changes are computed once. When its bytes are used up, columns that two runs in a row request replace
 * columns that neither of the two read. Runs must follow each other: each reuses memory of the last one, because V8 frees
 * that of typed arrays in major collections alone, and each 64 MB of it start one.
 */
export class ColumnCache {
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Entry>();
  readonly #feeds = new WeakMap<BarColumns, number>();
  /** The column for closes of each feed, and the run that has it. */
  readonly #closes = new Map<number, { readonly column: Float64Array; readonly run: number }>();
  /** The run that last requested a node. */
  readonly #lastRequested = new Map<string, number>();
  #feedCount = 0;
  #bytes = 0;
  /** Bytes of columns that the current run is writing. */
  #writing = 0;
  #peak = 0;
  #run = 0;
  #computed = 0;
  #loggedRows: number | undefined;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Number of nodes that were computed because no columns were kept. */
  get computed(): number {
    return this.#computed;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Largest number of bytes held at once, including columns that a run was writing. */
  get peakBytes(): number {
    return this.#peak;
  }

  /** Rows that the logs of the last run came to; undefined before the first. */
  get loggedRows(): number | undefined {
    return this.#loggedRows;
  }

  /** Ends a run whose logs came to so many rows. */
  endRun(loggedRows: number): void {
    this.#loggedRows = loggedRows;
  }

  /** Begins a run. */
  beginRun(): void {
    this.#run += 1;
    // Columns that an ended run did not complete are dropped.
    this.#writing = 0;
  }

  /** Returns the columns over the last `length` bars; a feed of that length must always be the same bars. */
  feed(bars: BarColumns, length: number): FeedColumns {
    const number = this.#feeds.get(bars) ?? this.#feedCount++;
    this.#feeds.set(bars, number);
    const keyOf = ({ key }: GraphNode): string => `${number} ${length} ${key}`;
    const before = this.#closes.get(number);
    let closes = before === undefined || before.run === this.#run ? new Float64Array(0) : before.column;
    this.#closes.set(number, { column: closes, run: this.#run });
    return {
      length,
      closesColumn: (rows) => {
        if (closes.length < rows) {
          closes = new Float64Array(rows);
          this.#closes.set(number, { column: closes, run: this.#run });
        }
        return closes;
      },
      get: (node) => this.#known(keyOf(node), node),
      allocate: (node) => {
        this.#computed += 1;
        return this.#room(keyOf(node), node.width, length);
      },
      store: (node, known) => this.#keep(keyOf(node), node, known),
    };
  }

  #known(key: string, node: GraphNode): CachedColumns | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.maker !== makerOf(node)) return undefined;
    // The least recently used are first.
    this.#entries.delete(key);
    this.#entries.set(key, { ...entry, usedIn: this.#run });
    return entry;
  }

  #room(key: string, width: number, length: number): readonly Float64Array[] | undefined {
    const bytes = width * length * Float64Array.BYTES_PER_ELEMENT;
    const last = this.#lastRequested.get(key);
    this.#lastRequested.delete(key);
    this.#lastRequested.set(key, this.#run);
    const [oldest] = this.#lastRequested.keys();
    if (this.#lastRequested.size > REQUESTS_MAX && oldest !== undefined) this.#lastRequested.delete(oldest);
    const isRepeated = last !== undefined && last >= this.#run - 1;
    if (isRepeated) this.#makeRoom(bytes);
    if (this.#bytes + this.#writing + bytes > this.#bytesMax) return undefined;
    this.#writing += bytes;
    this.#peak = Math.max(this.#peak, this.#bytes + this.#writing);
    return Array.from({ length: width }, () => new Float64Array(length));
  }

  /**
   * Removes columns that neither this run nor the previous one read, least recently used first, if that frees enough
   * bytes.
   */
  #makeRoom(bytes: number): void {
    const most = this.#bytesMax - this.#writing - bytes;
    if (this.#bytes - this.#staleBytes() > most) return;
    for (const [oldest, { usedIn }] of this.#entries) {
      if (this.#bytes <= most) return;
      if (usedIn < this.#run - 1) this.#remove(oldest);
    }
  }

  #staleBytes(): number {
    let stale = 0;
    for (const { bytes, usedIn } of this.#entries.values()) if (usedIn < this.#run - 1) stale += bytes;
    return stale;
  }

  #keep(key: string, node: GraphNode, known: CachedColumns): void {
    const bytes = known.columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.#remove(key);
    this.#writing -= bytes;
    this.#entries.set(key, { ...known, maker: makerOf(node), bytes, usedIn: this.#run });
    this.#bytes += bytes;
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

function makerOf({ work }: GraphNode): unknown {
  return work.kind === 'kernel' ? work.maker : work.field;
}
