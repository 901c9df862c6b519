/** The account number of a venue that does not disclose it. */
export const NO_ACCOUNT = '0';

const NUMBER = /^\d{1,18}$/;
/** FNV-1a over 64 bits. */
const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;
const BITS_64 = (1n << 64n) - 1n;
/** Numbers derived from names fit a double, and are above those of real accounts. */
const BITS_52 = (1n << 52n) - 1n;
const ABOVE = 1n << 52n;

/**
 * The number by which the wire knows an account. A broker's accounts are numbers; those of an embedded venue have names, and a
 * number is derived from the name, so that a client can tell whether it is the one that it means.
 * @see docs/wire-protocol.md, "The sockets", userQuoteProfile
 */
export function accountNumber(id: string): bigint {
  if (NUMBER.test(id)) return BigInt(id);
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(id)) hash = ((hash ^ BigInt(byte)) * PRIME) & BITS_64;
  return ABOVE + (hash & BITS_52);
}

/** Whether an account that a config names, by number or name, is the one that the venue tells the number of. */
export function isAccount(named: string, venueNumber: string): boolean {
  return accountNumber(named).toString() === venueNumber;
}

/** An account as texts show it: a name as it is, a number by its last digits, since a number is a secret (I-20). */
export function shownAccount(named: string): string {
  return NUMBER.test(named) ? `...${named.slice(-Math.min(4, named.length >> 1))}` : named;
}
