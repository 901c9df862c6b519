import { existsSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stoppedBots } from '../../app/doctor/check-journals.ts';
import { configFiles } from '../../app/doctor/check-machine.ts';
import { checkConfig } from '../../app/load/check-config.ts';
import { problemText } from '../../config/config-error.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { DataError } from '../../market-data/data-error.ts';
import { plural } from '../../model/plural.ts';

const PROBLEMS_SHOWN = 3;
const CONFIGS_SHOWN = 8;

/** Suggests the next command to a user who typed only "sluice", from the state of the folder. */
export async function whatNext(project: string): Promise<string> {
  const parts = [...stopped(project), ...(await configs(project))];
  return `${[...parts, 'All commands: npx sluice --help. Is something wrong? npx sluice doctor'].join('\n\n')}\n`;
}

function stopped(project: string): readonly string[] {
  return stoppedBots(project).map(({ folder, gate, reason }) => {
    const why = reason === '' ? '' : `: ${reason}`;
    return steps(`A bot is ${gate} (${folder})${why}`, [
      ['npx sluice journal', 'what happened, record by record'],
      ['npx sluice resume --help', 'lets it trade again, once you know why it stopped'],
    ]);
  });
}

async function configs(project: string): Promise<readonly string[]> {
  const paths = configFiles(project);
  const [first] = paths;
  if (first === undefined) return [emptyProjectText(project)];
  const problems: ConfigProblem[] = [];
  const faults: string[] = [];
  const fine: string[] = [];
  for (const path of paths) {
    try {
      const loaded = await checkConfig(relative(process.cwd(), join(project, path)), project);
      if (loaded.kind === 'ok') fine.push(path);
      else problems.push(...loaded.problems);
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      faults.push(`${path}: ${error.message}`);
    }
  }
  if (problems.length > 0 || faults.length > 0) {
    const visibleProblems = [...problems.map(problemText), ...faults].slice(0, PROBLEMS_SHOWN);
    const count = problems.length + faults.length;
    const head = `${plural(count, 'mistake')} in config/, the first of them:\n\n${visibleProblems.join('\n')}\n`;
    return [steps(`${head}\nCorrect them first:`, [['npx sluice check config/*.yaml', 'the whole list']])];
  }
  const latest = newestFirst(fine, project);
  return [ready(latest, latest[0] ?? first)];
}

/** The newest file comes first; files changed within one minute, as after a clone, keep their order. */
function newestFirst(paths: readonly string[], project: string): readonly string[] {
  const minute = new Map(paths.map((path) => [path, Math.floor(changedMs(join(project, path)) / 60_000)]));
  return paths.toSorted((one, other) => (minute.get(other) ?? 0) - (minute.get(one) ?? 0));
}

function changedMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function emptyProjectText(project: string): string {
  const where = existsSync(join(project, 'package.json'))
    ? 'There is no config/ with a YAML here'
    : 'There is no project here';
  return steps(`${where} yet. Begin with one of these:`, [
    ['npx sluice init my-bot', 'a project: a strategy, its test, a config, data'],
    ['npx sluice start', 'see it work first: two bots on paper, nothing to set up'],
  ]);
}

function ready(paths: readonly string[], first: string): string {
  const listed = paths
    .slice(0, CONFIGS_SHOWN)
    .map((path) => `  ${path}`)
    .join('\n');
  const more = paths.length > CONFIGS_SHOWN ? `\n  and ${paths.length - CONFIGS_SHOWN} more` : '';
  return steps(`Ready to run:\n${listed}${more}`, [
    [`npx sluice explain ${first}`, 'what it will do, in plain words'],
    [`npx sluice backtest ${first}`, 'runs it over past prices'],
    [`npx sluice run ${first}`, 'trades on paper, against an embedded venue'],
  ]);
}

function steps(head: string, commands: readonly (readonly [string, string])[]): string {
  const width = Math.max(...commands.map(([command]) => command.length));
  return [head, '', ...commands.map(([command, why]) => `  ${command.padEnd(width)}  ${why}`)].join('\n');
}
