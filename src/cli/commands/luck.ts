import type { CommandRegistration } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';

/** `sluice luck`: how the number of trials affects the significance of their best result. */
export const luckCommand: CommandRegistration = (program, { terminal, project, exit }) => {
  program
    .command('luck')
    .description('test whether the best trial of each strategy is more than luck, given the number of trials')
    .argument('[strategy]', 'name of a strategy (default: all with trials)')
    .option('--json', 'print the ledger of trials as JSON')
    .action(async (strategy: string | undefined, { json }: { readonly json?: boolean }) => {
      const [
        { ledgerLuckInPieces, ledgerStrategies },
        { runCooperatively },
        { luckTable },
        { withProgress },
      ] = await Promise.all([
        import('../../app/research/trial-ledger.ts'),
        import('../../app/research/cooperative-work.ts'),
        import('../../research/luck.ts'),
        import('../output/with-progress.ts'),
      ]);
      const all = await withProgress('Luck', terminal.view, (interrupted, onProgress) =>
        runCooperatively(ledgerLuckInPieces(project, strategy), {
          onProgress: (share) => onProgress({ done: share, total: 1, text: 'testing the trials' }),
          interrupted,
        }),
      );
      if (all === undefined) {
        terminal.err('Stopped before all trials were tested: nothing is printed\n');
        exit(EXIT.interrupted);
        return;
      }
      if (strategy !== undefined && all.length === 0) {
        const known = ledgerStrategies(project);
        if (known.length > 0 && !known.includes(strategy))
          throw new UsageError(
            `Cannot judge "${strategy}": the ledger has no trial of a strategy of that name, it has those of ${known.map((name) => `"${name}"`).join(', ')}`,
          );
      }
      terminal.out(
        json === true
          ? `${JSON.stringify({ strategies: all })}\n`
          : `${luckTable(all)}${all.length > 0 ? NOTE : ''}`,
      );
    });
};

const NOTE = `Sharpe: the highest of all trials of this code on this data, a year's worth. By luck: what the best
of so many without skill shows. PSR, DSR: probability that the true one is above 0, of one trial and
of so many. Needs: years from which on it is above 0 with 95%. SPA, RC: probability that the best of the trials
together shows its mean return although none earns more than cash (Hansen, White); - where daily
returns are not kept of all. Trials that differ little count in full.
`;
