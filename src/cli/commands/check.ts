import type { BotConfig } from '../../config/bot-config.ts';
import { problemText } from '../../config/config-error.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { plural } from '../../model/plural.ts';
import { printable } from '../../model/printable.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';

/** `sluice check CONFIG...`: lists all mistakes of all files; warnings alone are not a failure. */
export const checkCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('check')
    .description('list every mistake in strategy YAMLs, with line, column and what was meant')
    .argument('<configs...>', 'paths of strategy YAMLs')
    .option('--json', 'print the list as JSON')
    .action(async (paths: readonly string[], options: { readonly json?: boolean }) => {
      const { checkConfig } = await import('../../app/load/check-config.ts');
      const problems: ConfigProblem[] = [];
      const warnings: ConfigProblem[] = [];
      const fine: string[] = [];
      const strategies: Checked[] = [];
      for (const path of paths) {
        const loaded = await checkConfig(path, project, { past: true, environment: process.env });
        if (loaded.kind === 'problems') problems.push(...loaded.problems);
        else {
          fine.push(path);
          warnings.push(...loaded.warnings);
          strategies.push(...(await checkedMembers(path, loaded.config.members)));
        }
      }
      if (options.json === true)
        terminal.out(`${JSON.stringify({ ok: fine, problems, warnings, strategies })}\n`);
      else terminal.out(text({ fine, problems, warnings, strategies }));
      if (problems.length > 0) exit(EXIT.config);
    });
};

async function checkedMembers(config: string, members: BotConfig['members']): Promise<readonly Checked[]> {
  if (members.length === 0) return [];
  const { limitTexts } = await import('../../app/explain/explain-members.ts');
  return members.map(({ name, strategy, symbols, params, limits }) => ({
    config,
    name,
    strategy,
    symbols,
    params,
    limits: limitTexts(limits),
  }));
}

/** One of several strategies of a valid config. */
interface Checked {
  readonly config: string;
  readonly name: string;
  readonly strategy: string;
  readonly symbols: readonly string[];
  readonly params: Readonly<Record<string, number | boolean | string>>;
  readonly limits: readonly string[];
}

interface Findings {
  readonly fine: readonly string[];
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
  readonly strategies: readonly Checked[];
}

function text({ fine, problems, warnings, strategies }: Findings): string {
  const lines = [
    ...problems.map(problemText),
    ...warnings.map((warning) => `Warning: ${problemText(warning)}`),
    ...fine.flatMap((path) => [
      `${printable(path)}: ok`,
      ...strategies.filter(({ config }) => config === path).map(checkedText),
    ]),
  ];
  const totals = [counted(problems.length, 'problem'), counted(warnings.length, 'warning')].flat();
  return `${[...lines, ...totals].join('\n')}\n`;
}

function checkedText({ name, strategy, symbols, params, limits }: Checked): string {
  const assignments = Object.entries(params).map(([param, value]) => `${param} ${String(value)}`);
  const own = limits.length === 0 ? 'no own limits' : limits.join(', ');
  return `  ${name}: ${strategy} on ${symbols.join(', ')} (${assignments.join(', ')}); ${own}`;
}

/** A count with its noun; empty for 0. */
function counted(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [plural(count, noun)];
}
