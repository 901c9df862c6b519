import { Option } from 'commander';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { TEMPLATE_NAMES, type TemplateName } from '../init/templates.ts';

interface InitOptions {
  readonly template?: TemplateName;
  readonly sluice?: string;
  readonly json?: boolean;
}

/** `sluice init FOLDER`: creates a project that can be checked, tested, backtested and traded on paper at once. */
export const initCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('init')
    .description('create a project with a strategy, its test, a config and data')
    .argument('<folder>', 'where to; must be new or empty')
    .addOption(
      new Option(
        '--template <name>',
        'template to start from (default: asked for on a terminal, otherwise momentum)',
      ).choices(TEMPLATE_NAMES),
    )
    .option('--sluice <spec>', 'how package.json asks for sluice: a version, or "file:" and a path')
    .option('--json', 'print what was written as JSON')
    .action(async (folder: string, options: InitOptions) => {
      const { writeProject } = await import('../init/write-project.ts');
      const { askTemplate } = await import('../init/ask-template.ts');
      const { nextSteps } = await import('../init/next-steps.ts');
      const template = options.template ?? (options.json === true ? 'momentum' : await askTemplate());
      if (template === undefined) {
        terminal.err('Nothing was written\n');
        exit(EXIT.interrupted);
        return;
      }
      const sluice = omitUndefined({ sluice: options.sluice });
      const made = await writeProject({ folder, template, ...sluice }, project);
      terminal.out(
        options.json === true ? `${JSON.stringify({ template, ...made })}\n` : nextSteps(made, template),
      );
    });
};
