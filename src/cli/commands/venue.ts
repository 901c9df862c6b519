import { Option } from 'commander';
import type { VenueFlags } from '../open-venue.ts';
import { day, figures, period, portNumber, positiveNumber, symbols } from '../option-values.ts';
import type { CommandRegistration } from '../program.ts';

/** Where `sluice venue` listens unless told otherwise. */
const DEFAULT_PORT = 7_070;
const DEFAULT_SPEED = 60;
/** `sluice venue`: the venue alone, for any client of the protocol. */
export const venueCommand: CommandRegistration = (program, { terminal, project }) => {
  program
    .command('venue')
    .description('start the embedded venue alone and print its addresses and test credentials')
    .option('--port <port>', 'port of HTTP and both sockets, 0 for a free one', portNumber, DEFAULT_PORT)
    .option('--admin-port <port>', 'open the admin port too (stepping), 0 for a free one', portNumber)
    .option(
      '--symbol <symbol>',
      'what to replay, may be repeated (default: DEMO.HK, which is generated)',
      symbols,
    )
    .option('--period <period>', 'period of the bars to replay', period, '1m')
    .option('--data <folder>', 'folder of the bars', 'backtest-data')
    .option('--from <day>', 'first day (default: the first there is)', day)
    .option('--to <day>', 'last day (default: the last there is)', day)
    .option('--currency <currency>', "the account's currency", 'HKD')
    .option(
      '--cash <currency=amount>',
      'opening cash, may be repeated (default: HKD=1000000 USD=100000)',
      figures,
    )
    .option('--fx <pair=rate>', 'exchange rate, may be repeated (default: USDHKD=7.80)', figures)
    .addOption(
      new Option('--charges <schedule>', 'what orders cost')
        .choices(['standard', 'none'])
        .default('standard'),
    )
    .option('--margin', 'lend up to the margin factors, instead of cash only')
    .addOption(
      new Option('--profile <profile>', 'wire profile')
        .choices(['documented', 'longbridge'])
        .default('documented'),
    )
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
    .action(async (flags: VenueFlags) => {
      const { openVenue } = await import('../open-venue.ts');
      await openVenue(flags, { terminal, project });
    });
};
