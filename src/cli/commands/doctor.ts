import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';

/** `sluice doctor`: finds problems of the project and its environment, each with its solution. */
export const doctorCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('doctor')
    .description('check machine, project, configs, data, credentials, venue and journals for problems')
    .option('--offline', 'ask no venue')
    .option('--json', 'print the result as JSON')
    .action(async (options: { readonly offline?: boolean; readonly json?: boolean }) => {
      const { diagnoseProject } = await import('../../app/doctor/diagnose-project.ts');
      const { doctorText } = await import('../output/doctor-text.ts');
      const found = await diagnoseProject(project, options.offline === true);
      terminal.out(options.json === true ? `${JSON.stringify({ found })}\n` : doctorText(found, terminal));
      if (found.some(({ severity }) => severity === 'fault')) exit(EXIT.failedCheck);
    });
};
