import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { processTerminal } from '#src/cli/output/terminal.ts';
import { indicatorVerdicts } from './indicator-verdicts.ts';
import { replayVerdicts } from './replay-verdicts.ts';
import type { Verdict } from './verdict.ts';

const USAGE = `Usage: npm run oracles -- [--oracles DIR] [--indicators DIR] [--data DIR] [--only ID]
  --data DIR        real prices, laid out as CODE.MARKET/PERIOD.csv[.gz]; "market-data" next to the oracles when absent
  --oracles DIR     replays every oracle in it
  --indicators DIR  compares our indicators with every file of columns in it
  --only ID         only that one`;

const terminal = processTerminal();

/** Prints one line per oracle; exit code 1 if one fails, 2 for an invalid command line. */
function main(): number {
  const values = optionsOf(process.argv.slice(2));
  if (values === undefined || (values['oracles'] ?? values['indicators']) === undefined) {
    terminal.err(`${USAGE}\n`);
    return 2;
  }
  const { oracles, indicators, only } = values;
  const data =
    values['data'] ??
    (oracles === undefined ? `${indicators}/../../market-data` : `${oracles}/../market-data`);
  const missing = [oracles, indicators, data].find((folder) => folder !== undefined && !isFolder(folder));
  if (missing !== undefined) {
    terminal.err(`No folder "${missing}": name one that is there\n`);
    return 2;
  }
  let [passed, failed] = [0, 0];
  const print = ({ id, problem, remark }: Verdict): void => {
    if (problem === undefined) passed += 1;
    else failed += 1;
    const pass = remark === undefined ? `PASS ${id}` : `PASS ${id} (${remark})`;
    terminal.out(problem === undefined ? `${pass}\n` : `FAIL ${id}: ${problem}\n`);
  };
  if (oracles !== undefined) for (const verdict of replayVerdicts(oracles, data, only)) print(verdict);
  if (indicators !== undefined)
    for (const verdict of indicatorVerdicts(indicators, data, only)) print(verdict);
  terminal.out(`${passed} passed, ${failed} failed\n`);
  if (passed + failed === 0) {
    const what = only === undefined ? 'no oracle at all' : `no oracle "${only}"`;
    terminal.err(`There is ${what} in "${oracles ?? indicators}"\n`);
  }
  return failed > 0 || passed === 0 ? 1 : 0;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function optionsOf(args: readonly string[]): Readonly<Record<string, string | undefined>> | undefined {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: { data: text, oracles: text, indicators: text, only: text },
    }).values;
  } catch (error) {
    terminal.err(`${error instanceof Error ? error.message : String(error)}\n`);
    return undefined;
  }
}

process.exitCode = main();
