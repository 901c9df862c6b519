import { type Command, Option } from 'commander';

/** The parsed flags of every command that asks a venue. */
export interface BrokerFlags {
  /** A strategy YAML whose `broker:` section names venue and account. */
  readonly config?: string;
  readonly url?: string;
  readonly quoteWsUrl?: string;
  readonly profile: 'documented' | 'longbridge';
  readonly language: string;
  readonly json?: boolean;
}

/** Flags of commands that use only HTTP. Secrets have no flag: they come from the environment. */
export function httpOptions(command: Command): Command {
  return command
    .option('--config <yaml>', 'ask the account of this config, at the addresses of its "broker" section')
    .option(
      '--url <address>',
      'HTTP address (default: SLUICE_HTTP_URL, else where the bot of this folder trades)',
    )
    .addOption(
      new Option('--profile <profile>', 'wire profile')
        .choices(['documented', 'longbridge'])
        .default('documented'),
    )
    .addOption(
      new Option('--language <language>', 'language of names and refusals')
        .choices(['en', 'zh-CN', 'zh-HK'])
        .default('en'),
    )
    .option('--json', 'print the answer as JSON');
}

/** Flags of commands that also use the quote socket. */
export function quoteOptions(command: Command): Command {
  return httpOptions(command).option(
    '--quote-ws-url <address>',
    'address of the quote socket (default: SLUICE_QUOTE_WS_URL)',
  );
}
