/** The program of a process in which a whole command runs that calls an author's code: it prints what the command prints. */
import { closingLoader, openSandbox } from '../../app/research/open-sandbox.ts';
import { explain } from '../explain-error.ts';
import type { Terminal } from '../output/terminal.ts';
import type { SandboxJob } from './sandboxed.ts';

/** Seed of all chance in a backtest, as on stepped paper. */
const SEED = 1;

const inside = await openSandbox<SandboxJob & { readonly callMsMax: number }>();
const { job } = inside;
const terminal: Terminal = {
  out: (text) => inside.write('stdout', text),
  err: (text) => inside.write('stderr', text),
  view: { ...job.view, write: (text) => inside.write('stderr', text) },
  colour: job.colour,
};
let code = 0;
const context = {
  terminal,
  project: job.project,
  exit: (next: number) => {
    code = next;
  },
  over: () => undefined,
};
try {
  switch (job.command) {
    case 'backtest': {
      const [{ printBacktest }, { trialFacts }] = await Promise.all([
        import('../output/print-backtest.ts'),
        import('../../app/research/trial-facts.ts'),
      ]);
      // What is loaded later would be compiled again each time: this process reads no file then.
      const loaded = Promise.all([
        import('../../config/read-config.ts'),
        import('../output/source-lines.ts'),
        import('../../app/storage/open-store.ts'),
        ...(job.options.json === true
          ? [import('../../reports/json.ts')]
          : [import('../../reports/terminal.ts'), import('../../reports/buy-and-hold.ts')]),
        ...(job.options.fills === undefined ? [] : [import('../../reports/fills-csv.ts')]),
        ...(job.options.equity === undefined ? [] : [import('../../reports/equity-csv.ts')]),
        ...(job.options.keep === false ? [] : [import('../../app/storage/run-page.ts')]),
      ]);
      const loader = closingLoader(
        inside,
        { project: job.project, from: job.options.from, seed: SEED },
        loaded,
      );
      await printBacktest(job.path, job.options, context, {
        loader,
        now: inside.now,
        write: (file, text) => inside.sendResult({ kind: 'file', file, text }),
        count: (ran, record) => inside.sendResult({ kind: 'trial', facts: trialFacts(ran, record) }),
        keep: async (ran, record, histories) => {
          const { reportedPage } = await import('../../app/storage/run-page.ts');
          await inside.sendResult({ kind: 'page', ...reportedPage(ran, record, histories()) });
        },
      });
      break;
    }
    case 'page':
    case 'parity': {
      const { backtestForPage, backtestForParity } = await import('./backtest-for-commands.ts');
      const loaded = Promise.all([
        import('../../config/read-config.ts'),
        import('../../app/storage/open-store.ts'),
        import('../output/source-lines.ts'),
      ]);
      const loader = closingLoader(inside, { project: job.project, seed: SEED }, loaded);
      const { path, project } = job;
      await inside.sendResult(
        job.command === 'page'
          ? await backtestForPage(path, project, loader)
          : await backtestForParity(
              { path, project, param: job.options.param, onlyDocumented: job.options.onlyDocumented },
              loader,
            ),
      );
      break;
    }
    case 'test': {
      const { runTrials } = await import('../files/test-strategies.ts');
      const trials = await runTrials(job, () => inside.close({ startsAt: 0, seed: SEED }));
      await inside.sendResult({ kind: 'trials', trials });
      break;
    }
  }
} catch (error) {
  code = await explain(error, context);
}
process.exit(code);
