import type { CommandRegistration } from '../command-context.ts';
import { type BrokerFlags, httpOptions } from '../options/broker-options.ts';

/** `sluice ping`: checks the connection and the credentials. */
export const pingCommand: CommandRegistration = (program, context) => {
  httpOptions(program.command('ping').description('make a signed test call')).action(
    async (flags: BrokerFlags) => {
      const { withSession } = await import('../broker/broker-session.ts');
      const { pingVenue } = await import('../../app/broker/fetch-market-data.ts');
      await withSession(flags, context, { needs: 'http' }, async (session) => {
        const ms = await pingVenue(session);
        const { venue } = session;
        session.print({
          json: () => ({ venue, ms }),
          text: () => `${venue} let us in and answered in ${ms} ms\n`,
        });
      });
    },
  );
};
