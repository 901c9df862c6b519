import { CONTROL_COMMANDS, type Command, quoteCommands, TRADE_COMMANDS } from '../../src/wire/commands.ts';
import { CALL_LIMITS, ENDPOINTS } from '../../src/wire/endpoints.ts';
import { ERROR_CODES } from '../../src/wire/error-codes.ts';
import { PROFILES, type WireProfile } from '../../src/wire/profiles.ts';
import { RESPONSE_STATUS, SOCKET_REFUSALS } from '../../src/wire/socket-status.ts';

/** The page on the wire protocol: text around the tables that client and venue use. */
export function wireProtocolPage(): string {
  return [
    HEAD,
    table(
      ['Call', 'Asks', 'Limit'],
      Object.values(ENDPOINTS).map(({ name, method, path, limit }) => [
        code(`${method} ${path}`),
        name,
        limit,
      ]),
    ),
    LIMITS,
    table(
      ['Code', 'HTTP', 'When', 'What our client makes of it'],
      [...ERROR_CODES.values()].map(({ code: number, status, meaning, failureClass }) => [
        code(String(number)),
        String(status),
        meaning,
        failureClass,
      ]),
    ),
    SOCKETS,
    ...commandTables(),
    STATUS,
    table(
      ['Status', 'Name'],
      Object.entries(RESPONSE_STATUS).map(([name, value]) => [String(value), name]),
    ),
    table(
      ['Code', 'Status', 'Refusal'],
      Object.values(SOCKET_REFUSALS).map(({ status, code: number, message }) => [
        code(String(number)),
        String(status),
        message,
      ]),
    ),
    DIFFERENCES,
    table(['Point', 'documented', 'longbridge'], differences(PROFILES.documented, PROFILES.longbridge)),
    TAIL,
  ].join('\n\n');
}

const HEAD = `# The wire

What travels between Sluice and a broker, or between any client and \`sluice venue\`. Tables on this page are made from the
tables that the code works from; \`npx vitest run test/docs -u\` regenerates them.

## A signed request

Every call over HTTP carries four headers:

| Header | Holds |
|---|---|
| \`X-Api-Key\` | the app key |
| \`Authorization\` | the access token, without a word in front of it |
| \`X-Timestamp\` | seconds since the epoch with six decimals; rises with every request of one app key |
| \`X-Api-Signature\` | \`HMAC-SHA256 SignedHeaders=authorization;x-api-key;x-timestamp, Signature=<hex>\` |

The signature is made of exactly the bytes that are sent:

\`\`\`text
canonical = METHOD | path | raw query | headers | authorization;x-api-key;x-timestamp | sha1(body) or nothing
headers   = "authorization:<token>\\nx-api-key:<key>\\nx-timestamp:<stamp>\\n"
signature = hex(HMAC-SHA256(secret, "HMAC-SHA256|" + sha1(canonical)))
\`\`\`

The parts are joined by \`|\`. The inner digests are SHA-1 and the outer is SHA-256. The venue refuses a stamp more than five
minutes from its own clock, and answers a signature that it has seen with 403202.

Parameters of GET travel in the query, those of POST and PUT in a JSON body, those of DELETE according to the profile; the venue takes
either. Prices, quantities and amounts are decimal strings. An order id is a string for us throughout, even where a server sends it as
a JSON number beyond 2^53.

## The envelope

\`\`\`json
{ "code": 0, "msg": "success", "message": "success", "data": {} }
\`\`\`

Code 0 is success; anything else comes with the HTTP status below. \`msg\` and \`message\` say the same, \`data\` is always there.
What is not an envelope (a proxy's page, an empty body) tells nothing about an order: it is *unknown*, never *failed*.

## Calls`;

const { trade, quote, historyCandlesticks } = CALL_LIMITS;
const LIMITS = `\`trade\`: at most ${trade.calls} calls in ${trade.windowMs / 1000} s per endpoint, ${trade.spacingMs} ms apart. \`quote\`: at most
${quote.calls} in ${quote.windowMs / 1000} s per user, ${quote.concurrent} at once. History candlesticks: ${historyCandlesticks.calls} in ${historyCandlesticks.windowMs / 1000} s. Beyond that a call is answered with 429.

## Codes`;

const SOCKETS = `## The sockets

One WebSocket for quotes and one for trading; the address ends in \`?version=1&codec=1&platform=9\`. A client asks for a one-time
password over HTTP, sends it in \`auth\`, and keeps the session id to come back with \`reconnect\` after a cut. Each message is
one frame:

| Frame | Bytes |
|---|---|
| first byte | low four bits: 1 request, 2 response, 3 push; bit 4: nonce and signature follow the body; bit 5: the body is gzip |
| then | command (1); but for pushes the request id (4); a request has its timeout in ms (2), a response its status (1) |
| then | length of the body (3), the body: protobuf, as in \`src/wire/proto\` |
| at the end | if bit 4 is set, a nonce (8) and a signature (16), which are skipped |

A frame of more than 1 MiB, or a body that unpacks to more than 4 MiB or a hundredfold, ends the connection.`;

const STATUS = '## Refusals on the socket';

const DIFFERENCES = `## Profiles

\`documented\` is the default and follows the documentation to the letter; \`longbridge\` is what the live service and its own
client libraries speak. Everything else is the same in both.`;

const TAIL = `## Finding an order again

\`remark\` begins with a tag of 27 characters, \`K1-<deployment 4>-<intent 16>-<check 2>\`; what the user wrote follows behind a blank,
64 characters in all. Where a venue repeats its first answer to a repeated \`client_request_id\`, the intent's id is sent there, too.
That is how an order whose answer was lost is found, and why it is never sent twice.
`;

function commandTables(): readonly string[] {
  const [documented, longbridge] = [quoteCommands(PROFILES.documented), quoteCommands(PROFILES.longbridge)];
  return [
    'Both sockets:',
    commandTable(Object.entries(CONTROL_COMMANDS)),
    'Trade socket:',
    commandTable(Object.entries(TRADE_COMMANDS)),
    'Quote socket (where profiles differ, the number of `documented` comes first):',
    table(
      ['Command', 'Name', 'Kind'],
      Object.entries(documented).map(([name, { code: number, kind }]) => {
        const other = Object.entries(longbridge).find(([theirs]) => theirs === name)?.[1].code ?? number;
        return [other === number ? String(number) : `${number} / ${other}`, name, kind];
      }),
    ),
  ];
}

function commandTable(commands: readonly (readonly [string, Command])[]): string {
  return table(
    ['Command', 'Name', 'Kind'],
    commands.map(([name, command]) => [String(command.code), name, command.kind]),
  );
}

function differences(a: WireProfile, b: WireProfile): readonly (readonly string[])[] {
  return [
    [
      'capital distribution of a day',
      `command ${a.capitalDistributionCommand}`,
      `command ${b.capitalDistributionCommand}`,
    ],
    ['capital flow within the day', `command ${a.capitalFlowCommand}`, `command ${b.capitalFlowCommand}`],
    ['parameters of DELETE', a.deleteParameters, b.deleteParameters],
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}
