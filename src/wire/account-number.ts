/** Account number of a venue that does not disclose it. */
export const NO_ACCOUNT = '0';

const NUMBER = /^\d{1,18}$/;
/** FNV-1a with 64 bits. */
const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;
const BITS_64 = (1n << 64n) - 1n;
/** Numbers derived from names fit a double and are greater than those of real accounts. */
const BITS_52 = (1n << 52n) - 1n;
const NAMED_ACCOUNT_BASE = 1n << 52n;

/**
 * Returns the number of an account on the wire. A broker's accounts are numbers; for a named account of an embedded
 * venue, the number is derived from the name, so that a client can verify the account.
 * @see docs/wire-protocol.md, "The sockets", userQuoteProfile
 */
export function accountNumber(id: string): bigint {
  if (NUMBER.test(id)) return BigInt(id);
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(id)) hash = ((hash ^ BigInt(byte)) * PRIME) & BITS_64;
  return NAMED_ACCOUNT_BASE + (hash & BITS_52);
}

/** True if the account in a config, by number or name, has the number that the venue returns. */
export function isAccount(account: string, venueNumber: string): boolean {
  return accountNumber(account).toString() === venueNumber;
}

/** Formats an account for texts: a name in full, a number by its last digits, because numbers are secret (I-20). */
export function maskedAccount(account: string): string {
  return NUMBER.test(account) ? `...${account.slice(-Math.min(4, account.length >> 1))}` : account;
}
