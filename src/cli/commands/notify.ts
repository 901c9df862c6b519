import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';

/** `sluice notify CONFIG`: sends a test notice through each notifier and prints whether it arrived. */
export const notifyCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('notify')
    .description('send a test notice through each notifier of a strategy YAML, and print whether it arrived')
    .argument('<config>', 'path of the strategy YAML')
    .option('--json', 'print the result as JSON')
    .action(async (path: string, options: { readonly json?: boolean }) => {
      const { testNotifiers } = await import('../../app/logs/test-notifiers.ts');
      const { withDotEnv } = await import('../../app/credentials/dot-env.ts');
      const tested = await testNotifiers(path, project, withDotEnv(process.env, project));
      const notifiers = tested.map(({ name, failure }) => ({
        name,
        arrived: failure === undefined,
        failure: failure ?? null,
      }));
      if (options.json === true) terminal.out(`${JSON.stringify({ config: path, notifiers })}\n`);
      else if (tested.length === 0)
        terminal.out(`${path} has no notifiers: add "notify:", see docs/plugins.md\n`);
      else
        for (const { name, failure } of tested)
          terminal.out(failure === undefined ? `${name}: arrived\n` : `${name}: NOT SENT: ${failure}\n`);
      if (tested.length === 0 || tested.some(({ failure }) => failure !== undefined)) exit(EXIT.failedCheck);
    });
};
