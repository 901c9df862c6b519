import type { Argument, Command, Option } from 'commander';

/**
 * Every command of a program as a page of markdown: what it does, how it is called, its arguments and flags. The page repeats
 * the help of the program, so it is generated again whenever a command changes.
 */
export function referenceMarkdown(program: Command): string {
  const commands = leavesOf(program).toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
  return [preface(program), contents(commands), ...commands.map(section)].join('\n\n').concat('\n');
}

/** Commands that do something themselves, not those that only gather others. */
function leavesOf(command: Command): readonly Command[] {
  return command.commands.flatMap((each) => (each.commands.length === 0 ? [each] : leavesOf(each)));
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function preface(program: Command): string {
  return `# The command line

${program.description()}

Results go to standard output, everything about them to standard error. \`--json\` prints one line of JSON: decimals and
int64 as texts, times in ISO 8601, UTC; [JSON of every command](json.md) has the shapes. Times in tables are in UTC.
Tables are at most 80 columns wide, except those of trials, which have a column for each parameter.

## Exit codes

| Code | Meaning |
|---|---|
| 0 | done |
| 1 | a check failed |
| 2 | the command line cannot be done as it was typed |
| 3 | config, data or environment is missing something or wrong |
| 4 | the broker, the venue or the queue of a sweep did not answer, refused, or answered what cannot be read |
| 5 | halted by risk |
| 6 | the strategy failed |
| 7 | the journal or the disk failed |
| 130 | interrupted |

## Environment

Secrets come from the environment and have no flag. Each name of the first six may also begin with \`LONGBRIDGE_\` or
\`LONGPORT_\`, as the broker's SDK has it. Plain \`http\` and \`ws\` are for this machine only.

| Variable | What |
|---|---|
| \`SLUICE_APP_KEY\`, \`SLUICE_APP_SECRET\`, \`SLUICE_ACCESS_TOKEN\` | credentials of interface A |
| \`SLUICE_HTTP_URL\` | its HTTP address: scheme, host and port |
| \`SLUICE_QUOTE_WS_URL\`, \`SLUICE_TRADE_WS_URL\` | its sockets; a command needs only those that it uses |
| \`SLUICE_CATALOGUE_URL\` | address of the catalogue (default: \`SLUICE_HTTP_URL\`) |
| \`SLUICE_CATALOGUE_TOKEN\` or \`SLUICE_CATALOGUE_API_KEY\` | its secret |
| \`SLUICE_ADMIN_TOKEN\` | opens the admin port of an embedded venue that \`broker.admin\` names |
| \`SLUICE_NATS_CREDS\` | path of a credentials file for the queue of a sweep (\`--queue\`) |
| \`SLUICE_NATS_TOKEN\`, or \`SLUICE_NATS_USER\` and \`SLUICE_NATS_PASSWORD\` | token, or user and password, of that queue; from the environment alone, not from \`.env\` |
| \`NO_COLOR\` | no colours |
| \`FORCE_COLOR\` | colours also into pipes and files; 0 and false: none |
| \`TERM=dumb\` | no colours, and nothing drawn in place |

\`sluice venue --json\` prints a value for each. \`sluice token refresh\` stores a renewed token in
\`.sluice/tokens/\` of the project, readable by its owner alone. It is used for as long as the environment still has the
token that it replaces.

What the environment does not say, a file \`.env\` in the project may: lines of \`NAME=value\`, of which those that begin with
\`SLUICE_\`, \`LONGBRIDGE_\` or \`LONGPORT_\` are read. Keep it out of git and for yourself (\`chmod 600 .env\`): one that holds
more than addresses is refused while others on the machine may read it. Flags come before the environment, that before \`.env\`,
that before a YAML, that before what it extends, that before the defaults.

## Orders by hand

\`sluice order submit\`, \`replace\` and \`cancel\` say what they are about to do and do it once. An order whose outcome is
unknown is never sent again; its remark begins with a tag by which \`sluice orders\` finds it. At an address that is not this
machine they need \`--live\`, and \`--account\` with the number that the venue itself gives for the credentials.`;
}

function contents(commands: readonly Command[]): string {
  const lines = commands.map((command) => {
    const path = pathOf(command);
    return `- [\`${path}\`](#${path.replaceAll(' ', '-')}): ${command.description()}`;
  });
  return ['## Commands', '', ...lines].join('\n');
}

function section(command: Command): string {
  const path = pathOf(command);
  const words = command.registeredArguments.map(argumentWord);
  const flags = command.options.filter((option) => !option.hidden);
  const mandatory = flags.filter((option) => option.mandatory).map((option) => option.flags);
  const rest = flags.length > mandatory.length ? ['[options]'] : [];
  const call = [path, ...words, ...mandatory, ...rest].join(' ');
  const parts = [
    `### ${path}`,
    sentence(command.description()),
    `\`\`\`text\n${call}\n\`\`\``,
    ...(words.length > 0 ? [rows('Argument', command.registeredArguments, argumentWord)] : []),
    ...(flags.length > 0 ? [rows('Flag', flags, (option) => option.flags)] : []),
  ];
  return parts.join('\n\n');
}

function argumentWord(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

type Described = Pick<Option, 'description' | 'defaultValue' | 'argChoices'>;

function rows<T extends Argument | Option>(
  head: string,
  described: readonly T[],
  nameOf: (each: T) => string,
): string {
  const lines = described.map((each) => `| \`${nameOf(each)}\` | ${meaningOf(each)} |`);
  return [`| ${head} | Meaning |`, '|---|---|', ...lines].join('\n');
}

function meaningOf({ description, defaultValue, argChoices }: Described): string {
  const choices = argChoices === undefined ? '' : `: ${argChoices.map((each) => `\`${each}\``).join(', ')}`;
  const usual = defaultValue === undefined ? '' : ` (default: \`${String(defaultValue)}\`)`;
  return `${description}${choices}${usual}`.replaceAll('|', '\\|');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
