import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';

/** `sluice schema`: the JSON Schema with which editors complete strategy YAMLs. */
export const schemaCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('schema')
    .description('write schema/bot.json: completion and hover in editors, for all strategies of this project')
    .option('--print', 'print the schema instead of writing it')
    .option('--json', 'print the result as JSON')
    .action(async (options: { readonly print?: boolean; readonly json?: boolean }) => {
      const { projectSchema, SCHEMA_FILE, writeProjectSchema } = await import(
        '../../app/load/project-schema.ts'
      );
      if (options.print === true) {
        terminal.out((await projectSchema(project)).text);
        return;
      }
      const { strategies, left, changed } = await writeProjectSchema(project);
      for (const why of left) terminal.err(`Left out: ${why}\n`);
      if (left.length > 0) exit(EXIT.failedCheck);
      if (options.json === true) {
        terminal.out(`${JSON.stringify({ path: SCHEMA_FILE, changed, strategies, left })}\n`);
        return;
      }
      terminal.out(
        `${SCHEMA_FILE} ${changed ? 'written' : 'is as it was'}: knows ${strategies.join(', ')}\n` +
          `First line of a YAML in config/: # yaml-language-server: $schema=../${SCHEMA_FILE}\n`,
      );
    });
};
