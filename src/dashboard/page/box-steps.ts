import type { Box } from './pipeline-layout.ts';

/** A box that can have the focus. */
export interface PlacedBox {
  readonly id: string;
  readonly box: Box;
}

const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'] as const;
export type ArrowKey = (typeof ARROWS)[number];

/** Additional distance for each pixel that a box is aside of the direction. */
const ASIDE = 2;

/** True if a key moves the focus. */
export function isArrowKey(key: string): key is ArrowKey {
  return ARROWS.some((arrow) => arrow === key);
}

/**
 * Returns the box in the direction of an arrow key: the nearest one that starts beyond the other's middle; undefined
 * at the border.
 */
export function boxTowards(boxes: readonly PlacedBox[], from: string, key: ArrowKey): PlacedBox | undefined {
  const start = boxes.find(({ id }) => id === from);
  if (start === undefined) return undefined;
  const own = middleOf(start.box);
  let [best, least]: [PlacedBox | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const each of boxes) {
    const other = middleOf(each.box);
    const [right, down] = [other.x - own.x, other.y - own.y];
    const isAcross = key === 'ArrowLeft' || key === 'ArrowRight';
    const ahead =
      key === 'ArrowLeft' ? -right : key === 'ArrowRight' ? right : key === 'ArrowUp' ? -down : down;
    if (ahead <= 1) continue;
    const aside = Math.abs(isAcross ? down : right);
    // A row is left only if it has no box ahead.
    const isInWay = aside < (isAcross ? start.box.height : start.box.width) / 2 + 1;
    const distance = ahead + ASIDE * aside + (isInWay ? 0 : ROW_LEFT);
    if (distance < least) [best, least] = [each, distance];
  }
  return best;
}

const ROW_LEFT = 1e6;

function middleOf({ x, y, width, height }: Box) {
  return { x: x + width / 2, y: y + height / 2 };
}
