import { resolve } from 'node:path';
import type { BotConfig } from '../../config/bot-config.ts';
import type { AnnouncedSplit } from '../../execution/reconciliation/announced-splits.ts';
import { corporateActionsIn } from '../../market-data/corporate-actions.ts';
import { DataError } from '../../market-data/data-error.ts';
import type { Alarm } from '../../model/notice.ts';
import type { Clock } from '../../ports/clock.ts';

/** Data folder for splits of a bot without `data`: the default of imports and backtests. */
const DEFAULT_DATA = 'backtest-data';

/** Returns the splits of a config's symbols from `events.csv` in its data folder. Throws DataError. */
export function splitsIn(
  project: string,
  { symbols, data }: Pick<BotConfig, 'symbols' | 'data'>,
): readonly AnnouncedSplit[] {
  const dir = resolve(project, data?.dir ?? DEFAULT_DATA);
  return symbols.flatMap((symbol) => corporateActionsIn(dir, symbol).filter((each) => each.kind === 'split'));
}

/** Inputs of `announcedSplits`, and the receiver of its alarms. */
export interface SplitSource {
  readonly project: string;
  readonly config: Pick<BotConfig, 'symbols' | 'data'>;
  readonly onAlarm: ((alarm: Alarm) => void) | undefined;
}

/**
 * Returns a function that reads the splits at each call, so that the user may add a line while the bot runs. While a
 * file is invalid, the function returns the last valid splits, and one alarm per error message is raised. Throws
 * DataError at the start.
 */
export function announcedSplits(
  { project, config, onAlarm }: SplitSource,
  machine: Clock,
): () => readonly AnnouncedSplit[] {
  let known = splitsIn(project, config);
  let reported: string | undefined;
  return () => {
    try {
      known = splitsIn(project, config);
      reported = undefined;
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      const { message } = error;
      if (reported !== message) onAlarm?.({ code: 'splits-unread', message, at: machine.now(), facts: {} });
      reported = message;
    }
    return known;
  };
}
