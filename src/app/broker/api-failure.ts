/** Context of a failure message. */
export interface Failure {
  /** The operation, as written after "Cannot". */
  readonly tried: string;
  /** Host and port. */
  readonly venue: string;
  /** The venue's code; 0 if it gave none. */
  readonly code: number;
  /** Safe to print. */
  readonly message: string;
  /** True if the venue answered, with any result. */
  readonly isAnswered: boolean;
}

const ADVICE: Readonly<Record<number, string>> = {
  401003:
    'The access token is unknown, replaced or expired: set SLUICE_ACCESS_TOKEN to the current one, or create a new one at the broker',
  403201: 'Check SLUICE_APP_SECRET, and that the clock of this machine is right',
  403202: 'The venue has already received this request: try again',
  403203: 'Check SLUICE_APP_KEY',
  403205: 'Put the address of this machine on the allow-list of the app key',
  403206: 'The token trades real money, and "--live" was not given',
  404000: 'Check the address: the venue has no such endpoint',
  429001: 'Wait half a minute, and check which other programs send requests from this address',
  429002: 'Wait half a minute: the account has used up its calls, perhaps a bot trades on it',
  301600: 'Check the symbol and the other parameters',
  301604: 'The account has no quote package for it',
  301606: 'Wait a second: the quote socket accepts ten requests per second',
  603001: 'Look for the id with "sluice orders"',
};
const NO_ANSWER = 'Check the address, and that the venue is running and can be reached from here';
const UNREADABLE = /Cannot read the response/;
const OTHER_PROFILE =
  'The venue may use another profile than the one given: see "--profile", or "profile" of the config\'s "broker" section';
const SERVER_FAULT = 'The venue failed: try again later';

/** Two lines: the operation, the venue and the answer; then advice, if there is any. */
export function failureText({ tried, venue, code, message, isAnswered }: Failure): string {
  const seen = code === 0 || message.includes(String(code)) ? message : `${code}, ${message}`;
  const advice = isAnswered
    ? (adviceFor(code) ?? (UNREADABLE.test(seen) ? OTHER_PROFILE : undefined))
    : NO_ANSWER;
  const text = seen.startsWith(`Cannot ${tried}`) ? seen : `Cannot ${tried} at ${venue}: ${seen}`;
  return `${text}${advice === undefined ? '' : `\n  ${advice}`}`;
}

function adviceFor(code: number): string | undefined {
  const isServerFault = Math.floor(code / 100_000) === 5;
  return ADVICE[code] ?? (isServerFault ? SERVER_FAULT : undefined);
}
