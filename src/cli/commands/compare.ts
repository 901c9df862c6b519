import type { CommandRegistration } from '../command-context.ts';

/** `sluice compare A B`: compares two runs figure by figure. */
export const compareCommand: CommandRegistration = (program, context) => {
  const { terminal } = context;
  program
    .command('compare')
    .description('compare two runs, figure by figure, and show why they differ')
    .argument('<a>', 'a strategy YAML, which is backtested now, or the folder of a saved run')
    .argument('<b>', 'the other one')
    .option('--json', 'print the comparison as JSON')
    .action(async (a: string, b: string, options: { readonly json?: boolean }) => {
      const { namedPage } = await import('../sandbox/sandboxed.ts');
      const { compareRunPages } = await import('../../reports/compare.ts');
      const one = await namedPage(a, context);
      const other = one && (await namedPage(b, context));
      if (one === undefined || other === undefined) return;
      const comparison = compareRunPages(one, other);
      if (options.json === true) {
        terminal.out(`${JSON.stringify(comparison)}\n`);
        return;
      }
      const { compareText } = await import('../../reports/compare-text.ts');
      terminal.out(compareText(comparison, { colour: terminal.colour }));
    });
};
