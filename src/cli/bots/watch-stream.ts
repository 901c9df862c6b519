import type { Observable } from 'rxjs';
import type { Watching } from '../../app/broker/open-api.ts';
import { printAnswer, withSession } from '../broker/broker-session.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit-codes.ts';
import type { BrokerFlags } from '../options/broker-options.ts';
import { interruptible } from './interruption.ts';

/** What to watch, and how to show each push. */
export interface WatchedStream<T> extends Pick<Watching<T>, 'tried'> {
  readonly pushed: (client: Parameters<Watching<T>['pushed']>[0]) => Observable<T>;
  readonly json: (value: T) => unknown;
  readonly text: (value: T) => string;
}

/** Prints pushes one by one, as text or a line of JSON each, until Ctrl-C (exit code 130). */
export function watchStream<T>(
  flags: BrokerFlags,
  context: CommandContext,
  watched: WatchedStream<T>,
): Promise<void> {
  const { tried, pushed, json, text } = watched;
  return interruptible((until) =>
    withSession(flags, context, { needs: 'quotes' }, async (session) => {
      const show = (value: T): void =>
        printAnswer(flags, context, { json: () => json(value), text: () => text(value) });
      await session.watch({ tried, pushed, until, show });
      if (until.aborted) context.exit(EXIT.interrupted);
    }),
  );
}
