import { Option } from 'commander';
import type { VenueFlags } from '../bots/open-venue.ts';
import type { CommandRegistration } from '../command-context.ts';
import {
  day,
  figures,
  pairFiles,
  period,
  portNumber,
  positiveNumber,
  symbols,
  texts,
  wholeNumber,
} from '../options/option-values.ts';

/** The default address of `sluice venue`. */
const DEFAULT_PORT = 7_070;
const DEFAULT_SPEED = 60;
/** `sluice venue`: the venue alone, for any client of the protocol. */
export const venueCommand: CommandRegistration = (program, { terminal, project }) => {
  program
    .command('venue')
    .description('start the embedded venue alone and print its addresses and test credentials')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port of HTTP and both sockets, 0 for a free one', portNumber, DEFAULT_PORT)
    .option(
      '--admin-port <port>',
      'open the admin port too (clock, reset, deposit, faults), 0 for a free one',
      portNumber,
    )
    .option(
      '--symbol <symbol>',
      'replay bars of this symbol instead of a synthetic market, or quote it from upstream, may be repeated',
      symbols,
    )
    .option('--period <period>', 'period of the bars to replay (default: 1m)', period)
    .option('--data <folder>', 'folder of the bars to replay (default: backtest-data)')
    .option('--from <day>', 'first day to replay (default: the first there is)', day)
    .option('--to <day>', 'last day to replay (default: the last there is)', day)
    .addOption(
      new Option(
        '--sessions <hours>',
        'when the market is open (default: always if synthetic, real with --upstream)',
      ).choices(['always', 'real']),
    )
    .option(
      '--upstream',
      "take prices from a real broker's quotes instead; orders stay here; addresses and credentials of the broker come from the environment",
    )
    .option('--seed <number>', 'what the synthetic market is drawn from', wholeNumber, 1)
    .option('--accounts <count>', 'how many accounts it has', wholeNumber, 1)
    .option('--state <file>', 'keep accounts, orders and credentials in this file, and resume from it')
    .option('--currency <currency>', "the account's currency", 'HKD')
    .option(
      '--cash <currency=amount>',
      'opening cash, may be repeated (default: HKD=1000000 USD=100000)',
      figures,
    )
    .option(
      '--fx <pair=rate>',
      'exchange rate, may be repeated (default: USDHKD=7.80 USDCNH=7.20, invented)',
      figures,
    )
    .option(
      '--fx-series <pair=file>',
      'file of dated rates (date,rate), may be repeated; before its first day --fx counts',
      pairFiles,
    )
    .option('--only-fx', 'no exchange rate but those of --fx')
    .addOption(
      new Option('--charges <schedule>', 'what orders cost')
        .choices(['standard', 'authorities', 'none'])
        .default('standard'),
    )
    .option('--margin', 'lend up to the margin factors, instead of cash only')
    .option('--short', 'let accounts sell what they do not hold')
    .option('--simulation <json>', 'how the market behaves: the "simulation" section of a config, as JSON')
    .addOption(
      new Option('--profile <profile>', 'wire profile')
        .choices(['documented', 'longbridge'])
        .default('documented'),
    )
    .addOption(
      new Option(
        '--rate-limits <how>',
        'count calls per endpoint as published, or in sum (default: endpoint, off unless --clock wall)',
      ).choices(['endpoint', 'account', 'off']),
    )
    .option('--verbose-states', 'show every status of an order on the way to another one, for 100 ms each')
    .option(
      '--access <json>',
      'services and quote levels of its accounts, as POST /access takes them (default: everything is enabled)',
    )
    .option(
      '--without <capability>',
      'do not offer this, may be repeated: order.cancel, order.replace, orders.today, orders.history, executions.today, push.private, push.complete, submit.requestKey, prices.origin',
      texts,
    )
    .option(
      '--only-documented',
      'serve exactly what the source document describes: no listings of orders or executions, no cancel, no replace, no pushes, no trade socket, quote commands 10, 24, 25 and 27',
    )
    .option('--tls-cert <file>', 'serve TLS with this certificate chain (PEM)')
    .option('--tls-key <file>', 'private key of the certificate (PEM)')
    .addOption(
      new Option('--clock <kind>', 'how market time goes')
        .choices(['wall', 'scaled', 'stepped'])
        .default('wall'),
    )
    .option(
      '--speed <times>',
      'with --clock scaled: so many times as fast as the wall',
      positiveNumber,
      DEFAULT_SPEED,
    )
    .option('--until-stdin-ends', 'stop when standard input ends')
    .option('--json', 'print one line of JSON once it is ready')
    .option('--env', 'print addresses and credentials as lines that a shell can source')
    .action(async (flags: VenueFlags) => {
      const { openVenue } = await import('../bots/open-venue.ts');
      await openVenue(flags, { terminal, project });
    });
};
