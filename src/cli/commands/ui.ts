import { omitUndefined } from '../../model/omit-undefined.ts';
import { interruptible, untilEnd } from '../bots/interruption.ts';
import type { CommandRegistration } from '../command-context.ts';
import { wholeBetween } from '../options/broker-values.ts';

interface UiFlags {
  readonly port: number;
  readonly readOnly?: boolean;
  readonly commands: boolean;
  readonly json?: boolean;
  readonly untilStdinEnds?: boolean;
}

const PORT_MAX = 65_535;

/** `sluice ui`: the dashboard of this folder's bots, in a separate process. */
export const uiCommand: CommandRegistration = (program, { terminal, project }) => {
  program
    .command('ui')
    .description('serve the dashboard of the bots in this folder to browsers on this machine, until Ctrl-C')
    .option('--port <port>', 'port on 127.0.0.1; 0 takes a free one', wholeBetween(0, PORT_MAX), 7_373)
    .option('--read-only', 'print a second link that is read-only')
    .option('--no-commands', 'accept no commands from browsers')
    .option('--until-stdin-ends', 'stop when standard input ends')
    .option('--json', 'print the links as one line of JSON')
    .action(async ({ port, readOnly, commands, json, untilStdinEnds }: UiFlags) => {
      const { openDashboard } = await import('../../app/dashboard/open-dashboard.ts');
      const dashboard = await openDashboard(project, { port: Number(port), commands });
      const login = dashboard.link(commands ? 'command' : 'read');
      const look = readOnly === true ? dashboard.link('read') : undefined;
      await interruptible(async (interrupted) => {
        terminal.out(
          json === true
            ? `${JSON.stringify({ port: dashboard.port, login, ...omitUndefined({ readOnly: look }) })}\n`
            : [
                `Dashboard  ${login}`,
                ...(look === undefined ? [] : [`Read-only  ${look}`]),
                'Each link signs one browser in, once. Ctrl-C ends the dashboard; the bots continue.',
                '',
              ].join('\n'),
        );
        await untilEnd(interrupted, untilStdinEnds === true);
        await dashboard.close();
      });
    });
};
