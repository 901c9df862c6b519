import { type IntentId, intentId } from '../model/order.ts';

declare const tagBrand: unique symbol;

/**
 * Identifies one intent in an order's `remark`: `K1-<deployment 4>-<intent 16>-<check 2>`, 27 characters. It is used
 * to find an order whose submit answer was lost, so it is matched exactly and has a checksum.
 * @see docs/reliability.md, "Submits and unknown orders"
 */
export type Tag = string & { readonly [tagBrand]: true };

export interface TagParts {
  /** Four characters of `A-Z`, `2-7` that distinguish the orders of installations. */
  readonly deployment: string;
  readonly intentId: IntentId;
}

/** Maximum length of a remark that survives a replace. */
const MAX_REMARK_LENGTH = 64;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const DEPLOYMENT = /^[A-Z2-7]{4}$/;
const INTENT = /^[A-Z2-7]{16}$/;
const TAG = /^K1-([A-Z2-7]{4})-([A-Z2-7]{16})-([A-Z2-7]{2})$/;
const TAG_LENGTH = 27;

/** Builds the tag of an intent. Throws RangeError if a part has other characters or another length. */
export function makeTag(parts: TagParts): Tag {
  if (!DEPLOYMENT.test(parts.deployment)) {
    throw new RangeError(`Cannot tag for deployment "${parts.deployment}", want 4 characters of A-Z, 2-7`);
  }
  if (!INTENT.test(parts.intentId)) {
    throw new RangeError(`Cannot tag intent "${parts.intentId}", want 16 characters of A-Z, 2-7`);
  }
  const check = checksumOf(parts.deployment + parts.intentId);
  return `K1-${parts.deployment}-${parts.intentId}-${check}` as Tag;
}

/** Parses a tag; undefined if the text has another form or a wrong checksum. */
export function parseTag(text: string): (TagParts & { readonly tag: Tag }) | undefined {
  const [, deployment, intent, check] = TAG.exec(text) ?? [];
  if (deployment === undefined || intent === undefined) return undefined;
  if (checksumOf(deployment + intent) !== check) return undefined;
  return { deployment, intentId: intentId(intent), tag: text as Tag };
}

/**
 * Returns an order's remark: the tag, a space, and the user's text truncated to 64 characters in total. Throws
 * RangeError for a character that is not printable ASCII, because others are counted differently on the way.
 */
export function remarkFor(tag: Tag, userRemark: string): string {
  const words = userRemark.trim();
  const unsendable = unsendableCharacter(words);
  if (unsendable !== undefined)
    throw new RangeError(`Cannot send ${JSON.stringify(unsendable)} in a remark, want printable ASCII`);
  return words === '' ? tag : `${tag} ${words}`.slice(0, MAX_REMARK_LENGTH).trimEnd();
}

/** Returns the first character of a remark that cannot be sent; undefined if there is none. */
export function unsendableCharacter(userRemark: string): string | undefined {
  return [...userRemark.trim()].find((each) => !/^[ -~]$/.test(each));
}

/** Returns the tag at the start of a remark; undefined for a foreign order's remark. */
export function tagOfRemark(remark: string): (TagParts & { readonly tag: Tag }) | undefined {
  const behind = remark[TAG_LENGTH];
  return behind === undefined || behind === ' ' ? parseTag(remark.slice(0, TAG_LENGTH)) : undefined;
}

const PRIME = 1021;
const FACTOR = 37;

/**
 * Returns two check characters that detect any changed character and any swap of neighbours: a weighted sum modulo a
 * prime.
 */
function checksumOf(text: string): string {
  let sum = 0;
  for (const each of text) sum = (sum * FACTOR + ALPHABET.indexOf(each) + 1) % PRIME;
  return `${ALPHABET.charAt(sum >> 5)}${ALPHABET.charAt(sum & 31)}`;
}
