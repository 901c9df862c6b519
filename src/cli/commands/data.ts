import { type Command, Option } from 'commander';
import { DECIMAL_MARKS } from '../../market-data/decimal-text.ts';
import { EXPORT_FORMATS } from '../../market-data/export-formats.ts';
import { DATE_ORDERS } from '../../market-data/source-stamp.ts';
import { ENCODINGS } from '../../market-data/text-encoding.ts';
import { VENDOR_FORMAT_NAMES } from '../../market-data/vendor-formats.ts';
import { SECURITY_KINDS } from '../../model/security.ts';
import type { CommandContext, CommandRegistration } from '../command-context.ts';
import type { CheckFlags } from '../data/check.ts';
import type { DownloadFlags } from '../data/download.ts';
import type { ExportFlags } from '../data/export.ts';
import type { ImportFlags } from '../data/import.ts';
import { lotSize, priceDivisor, separator, shares, symbol, wholeNumber } from '../data/values.ts';
import { day, period, positiveNumber } from '../options/option-values.ts';

/** The default data folder. */
const DEFAULT_DIR = 'backtest-data';

/** `sluice data ...`: import, inspect and export prices. */
export const dataCommand: CommandRegistration = (program, context) => {
  const data = program.command('data').description('import, list, check, download, query and export bars');
  addImport(data, context);
  addList(data, context);
  addCheck(data, context);
  addDownload(data, context);
  addSql(data, context);
  addExport(data, context);
};

const dirOption = (): Option => new Option('--dir <folder>', 'folder of the data').default(DEFAULT_DIR);

function addImport(data: Command, context: CommandContext): void {
  const command = data
    .command('import')
    .description('import a CSV (also .gz or .zst) or Parquet file of bars')
    .argument('<file>', 'file to import')
    .option(
      '--symbol <symbol>',
      'what the bars are of, such as 700.HK (default: what the rows say they are of)',
      symbol,
    )
    .option('--market <market>', 'market of the symbols that rows name, such as US')
    .option('--period <period>', 'how long one bar is, such as 1m or 1d (default: by the stamps)', period)
    .addOption(
      new Option('--as <what>', 'what the file holds: bars; trades, to make bars of; quotes, kept as such')
        .choices(['bars', 'trades', 'quotes'])
        .default('bars'),
    )
    .addOption(dirOption())
    .option(
      '--variant <word>',
      'store it as a variant of the plain series: adj (adjusted), ext (extended hours), ...',
    )
    .addOption(
      new Option('--format <vendor>', 'layout of the file').choices(VENDOR_FORMAT_NAMES).default('auto'),
    )
    .option('--map <role=column,...>', 'which column is what: time=Date,close="Adj Close" or time=1+2,open=3')
    .option('--zone <zone>', 'time zone of stamps that carry none, such as Asia/Hong_Kong')
    .addOption(
      new Option(
        '--dates <order>',
        'order of day, month and year in dates with slashes; or days as Excel counts them',
      ).choices(DATE_ORDERS),
    )
    .option(
      '--separator <char>',
      'what separates columns: comma, semicolon, tab or bar (default: found out)',
      separator,
    )
    .addOption(
      new Option(
        '--encoding <name>',
        'how the text is encoded (default: UTF-8, or UTF-16 that is marked as such)',
      ).choices(ENCODINGS),
    )
    .option('--skip-lines <count>', 'lines in front of the header', wholeNumber)
    .addOption(
      new Option('--decimal <mark>', 'decimal mark of the prices (default: detected)').choices(DECIMAL_MARKS),
    )
    .option(
      '--price-unit <unit>',
      'what 1 means in the columns of prices, such as 0.0001 (default: found out)',
      priceDivisor,
    )
    .option(
      '--volume-unit <shares>',
      'how many shares 1 means in the column of volumes (default: found out)',
      shares,
    )
    .option('--no-volume', 'there is no volume: write zero')
    .option('--adjust', 'scale prices by adjusted close / close')
    .addOption(
      new Option('--stamped-at <end>', 'which end of a bar its stamp names').choices(['open', 'close']),
    )
    .addOption(
      new Option('--order <order>', 'order of the rows').choices(['auto', 'oldest-first', 'newest-first']),
    )
    .addOption(
      new Option('--on-bad-row <what>', 'stop at a bad row, or report and skip it')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .option('--events', 'write dividends and splits that columns of the file tell to events.csv')
    .option('--gzip', 'keep the bars gzipped')
    .option('--replace', 'take the place of a series, or change facts, that are there')
    .option('--json', 'print the outcome as JSON');
  addFacts(command).action(async (file: string, flags: ImportFlags) => {
    const { importData } = await import('../data/import.ts');
    await importData(file, flags, context);
  });
}

function addFacts(command: Command): Command {
  return command
    .option('--name <name>', 'name of the security')
    .addOption(new Option('--kind <kind>', 'what the security is').choices(SECURITY_KINDS))
    .option('--currency <currency>', 'currency of its prices, such as HKD')
    .option('--lot <shares>', 'smallest quantity step, in shares, such as 100 or 0.01', lotSize)
    .option('--board <board>', "board it is listed on (default: the market's usual one)")
    .option('--tradable', 'an index may be traded, at its level')
    .option('--source <text>', 'where the prices come from')
    .option('--license <text>', 'what may be done with them')
    .option('--generated <method>', 'the prices are not real: how they were made');
}

function addList(data: Command, context: CommandContext): void {
  data
    .command('list')
    .description('list the stored series: symbols, periods, rows, first and last bar, real or generated')
    .addOption(dirOption())
    .option('--json', 'print the list as JSON')
    .action(async (flags: { readonly dir: string; readonly json?: boolean }) => {
      const { listData } = await import('../data/list.ts');
      listData(flags, context);
    });
}

function addCheck(data: Command, context: CommandContext): void {
  data
    .command('check')
    .description(
      'check bars for gaps, duplicates, odd prices and suspected splits, by line; exit 1 on errors',
    )
    .argument('[symbols...]', 'what to check (default: everything)')
    .option('--period <period>', 'only bars of this period', period)
    .option('--gap <minutes>', 'silence in an open market that counts as a gap (default: 5)', positiveNumber)
    .addOption(dirOption())
    .option('--json', 'print the findings as JSON')
    .action(async (symbols: readonly string[], flags: CheckFlags) => {
      const { checkData } = await import('../data/check.ts');
      checkData(symbols, flags, context);
    });
}

function addDownload(data: Command, context: CommandContext): void {
  const command = data
    .command('download')
    .description(
      'download history from a broker or venue, within its limits; continues after an interruption',
    )
    .argument('<symbol>', 'what to fetch, such as 700.HK', symbol)
    .option('--period <period>', 'how long one bar is', period, '1d')
    .requiredOption('--from <day>', 'first day', day)
    .option('--to <day>', 'last day (default: today)', day)
    .option('--url <address>', 'HTTP address (default: SLUICE_HTTP_URL)')
    .option('--quote-ws-url <address>', 'address of the quote socket (default: SLUICE_QUOTE_WS_URL)')
    .option('--trade-ws-url <address>', 'address of the trade socket (default: SLUICE_TRADE_WS_URL)')
    .addOption(
      new Option('--profile <profile>', 'wire profile')
        .choices(['documented', 'longbridge'])
        .default('documented'),
    )
    .addOption(dirOption())
    .option(
      '--gap <minutes>',
      'open minutes without a bar that count as missing (default: 5)',
      positiveNumber,
    )
    .option('--replace', 'take the place of a series that is there')
    .option('--json', 'print the outcome as JSON');
  addFacts(command).action(async (what: DownloadFlags['symbol'], flags: Omit<DownloadFlags, 'symbol'>) => {
    const { downloadData } = await import('../data/download.ts');
    await downloadData({ ...flags, symbol: what }, context);
  });
}

function addSql(data: Command, context: CommandContext): void {
  data
    .command('sql')
    .description(
      'query in SQL: view bars, or "700.HK/1m" for one series (needs the optional package @duckdb/node-api)',
    )
    .argument('<question>', 'a select statement')
    .addOption(dirOption())
    .option('--json', 'print the rows as JSON')
    .action(async (question: string, flags: { readonly dir: string; readonly json?: boolean }) => {
      const { queryData } = await import('../data/sql.ts');
      await queryData(question, flags, context);
    });
}

function addExport(data: Command, context: CommandContext): void {
  data
    .command('export')
    .description('write a series as Parquet or CSV')
    .argument('<symbol>', 'what to export, such as 700.HK', symbol)
    .requiredOption(
      '--period <period>',
      'how long one bar is; put together from shorter bars if need be',
      period,
    )
    .requiredOption('--to-file <file>', 'file to write')
    .addOption(new Option('--format <format>', 'kind of file').choices(EXPORT_FORMATS).default('parquet'))
    .option('--variant <word>', 'a second series, such as adj')
    .addOption(dirOption())
    .option('--replace', 'take the place of a file that is there')
    .action(async (what: ExportFlags['symbol'], flags: Omit<ExportFlags, 'symbol'>) => {
      const { exportData } = await import('../data/export.ts');
      await exportData({ ...flags, symbol: what }, context);
    });
}
