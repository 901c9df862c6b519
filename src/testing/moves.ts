/**
 * What a market does next, in bars: moves follow one another and begin at the current price. `share` is of the
 * price at the beginning of the move, -0.1 for a fall of 10 %.
 */
export type Move =
  | { readonly kind: 'path'; readonly closes: (price: number) => readonly number[] }
  /** The next bar opens elsewhere. */
  | { readonly kind: 'gap'; readonly share: number }
  /** Nothing trades for so many bars: there are none. */
  | { readonly kind: 'halt'; readonly bars: number }
  /** So many shares trade in each bar from here on. */
  | { readonly kind: 'volume'; readonly shares: number };

/** Closes one by one, in the currency of the security. */
export function closes(...prices: readonly number[]): Move {
  return { kind: 'path', closes: () => prices };
}

/** The price does not move for so many bars. */
export function flat(bars: number): Move {
  return { kind: 'path', closes: (price) => Array.from({ length: bars }, () => price) };
}

/** The price goes up by a share, evenly over so many bars. */
export function rise(bars: number, share: number): Move {
  return {
    kind: 'path',
    closes: (price) => Array.from({ length: bars }, (_, index) => price * (1 + (share * (index + 1)) / bars)),
  };
}

/** The price goes down by a share (0.1 is 10 %), evenly over so many bars. */
export function fall(bars: number, share: number): Move {
  return rise(bars, -share);
}

/** Waves of a share up and down, so many bars from crest to crest. */
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

/** Nothing trades for so many bars. */
export function halt(bars: number): Move {
  return { kind: 'halt', bars };
}

/** So many shares trade in each bar from here on; default 1,000,000,000. */
export function volume(shares: number): Move {
  return { kind: 'volume', shares };
}

/** One bar of a market to be, without its time; undefined where there is none. */
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

/** The bars that moves make, one per period, on whole cents; a bar goes from the close before it to its own. */
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
