import type { CommandRegistration } from '../command-context.ts';
import { positiveNumber, wholeNumber } from '../options/option-values.ts';

interface WorkerFlags {
  readonly queue: string;
  readonly jobs?: number;
  readonly exitWhenIdle?: number;
  readonly json?: boolean;
}

/** `sluice worker --queue ADDRESS`: computes trials of sweeps that run on other machines. */
export const workerCommand: CommandRegistration = (program, { terminal, project }) => {
  program
    .command('worker')
    .description(
      'compute trials of sweeps that are queued on a NATS server ("sluice sweep --queue"), until Ctrl-C',
    )
    .requiredOption('--queue <address>', 'the NATS server, such as nats://127.0.0.1:4222')
    .option('--jobs <count>', 'processes at once (default: one per core)', wholeNumber)
    .option('--exit-when-idle <seconds>', 'exit after this time without a trial', positiveNumber)
    .option('--json', 'print the result as JSON')
    .action(async ({ queue, jobs, exitWhenIdle, json }: WorkerFlags) => {
      const [{ runWorker }, { interruptible }] = await Promise.all([
        import('../../app/research/queue/run-worker.ts'),
        import('../bots/interruption.ts'),
      ]);
      let last = '';
      const summary = await interruptible((interrupted) =>
        runWorker(
          { queue, folder: project, jobs, idleSeconds: exitWhenIdle },
          {
            interrupted,
            onConnected: ({ shown, runtime }) =>
              terminal.err(`Waiting for trials of version ${runtime} at ${shown}\n`),
            onSweep: (name) => terminal.err(`Computing trials of ${name}\n`),
            onNotice: (text) => {
              if (text !== last) terminal.err(`${text}\n`);
              last = text;
            },
          },
        ),
      );
      const { trials, failed, repeated, sweeps } = summary;
      const again = repeated === 0 ? '' : `, ${repeated} had been computed before`;
      terminal.out(
        json === true
          ? `${JSON.stringify(summary)}\n`
          : `${trials} trials of ${sweeps.length} sweeps computed, ${failed} of them failed${again}\n`,
      );
    });
};
