/**
 * A market move in bars. Moves follow one another and start at the current price. `share` is relative to the price at
 * the start of the move: -0.1 is a fall of 10 %.
 */
export type Move =
  | { readonly kind: 'path'; readonly closes: (price: number) => readonly number[] }
  /** The next bar opens at another price. */
  | { readonly kind: 'gap'; readonly share: number }
  /** No trading and no bars for that many bars. */
  | { readonly kind: 'halt'; readonly bars: number }
  /** Volume of each bar from here on. */
  | { readonly kind: 'volume'; readonly shares: number };

/** Closes one by one, in the currency of the security. */
export function closes(...prices: readonly number[]): Move {
  return { kind: 'path', closes: () => prices };
}

/** The price does not move for that many bars. */
export function flat(bars: number): Move {
  return { kind: 'path', closes: (price) => Array.from({ length: bars }, () => price) };
}

/** The price rises by a share (0.1 is 10 %), evenly over that many bars. */
export function rise(bars: number, share: number): Move {
  return {
    kind: 'path',
    closes: (price) => Array.from({ length: bars }, (_, index) => price * (1 + (share * (index + 1)) / bars)),
  };
}

/** The price falls by a share (0.1 is 10 %), evenly over that many bars. */
export function fall(bars: number, share: number): Move {
  return rise(bars, -share);
}

/** Waves of a share up and down; `length` is the number of bars from crest to crest. */
export function waves(bars: number, length: number, share: number): Move {
  const at = (index: number): number => Math.sin((2 * Math.PI * (index + 1)) / length);
  return {
    kind: 'path',
    closes: (price) => Array.from({ length: bars }, (_, index) => price * (1 + share * at(index))),
  };
}

/** The next bar opens a share away from the last close: `gap(-0.15)` is 15 % lower. */
export function gap(share: number): Move {
  return { kind: 'gap', share };
}

/** No trading for that many bars. */
export function halt(bars: number): Move {
  return { kind: 'halt', bars };
}

/** Volume of each bar from here on; default 1,000,000,000. */
export function volume(shares: number): Move {
  return { kind: 'volume', shares };
}

/** One bar without its time; undefined if there is none. */
export type Shape =
  | {
      readonly open: number;
      readonly high: number;
      readonly low: number;
      readonly close: number;
      readonly volume: number;
    }
  | undefined;

const PLENTY = 1_000_000_000;
const CENTS = 100;

/** Creates the bars of moves, one per period, in whole cents; each bar starts at the previous close. */
export function shapesOf(price: number, moves: readonly Move[]): readonly Shape[] {
  const shapes: Shape[] = [];
  let [last, opens, shares] = [cents(price), cents(price), PLENTY];
  for (const move of moves) {
    switch (move.kind) {
      case 'gap':
        opens = cents(last * (1 + move.share));
        last = opens;
        break;
      case 'halt':
        for (let bar = 0; bar < move.bars; bar += 1) shapes.push(undefined);
        break;
      case 'volume':
        shares = move.shares;
        break;
      case 'path':
        for (const figure of move.closes(last)) {
          const close = cents(figure);
          shapes.push({
            open: opens,
            high: Math.max(opens, close),
            low: Math.min(opens, close),
            close,
            volume: shares,
          });
          opens = close;
          last = close;
        }
    }
  }
  return shapes;
}

function cents(price: number): number {
  return Math.max(1, Math.round(price * CENTS)) / CENTS;
}
