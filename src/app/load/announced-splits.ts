import { join } from 'node:path';
import type { ToldSplit } from '../../execution/told-splits.ts';
import { corporateActionsIn } from '../../market-data/corporate-actions.ts';
import { DataError } from '../../market-data/data-error.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PaperOptions } from '../run/run-paper.ts';

/** Where a bot that names no data is told of splits: the folder that imports and backtests use when none is named. */
const DEFAULT_DATA = 'backtest-data';

/** The splits that `events.csv` tells of symbols in a project's data folder. Throws DataError. */
export function splitsIn(project: string, symbols: readonly SecuritySymbol[]): readonly ToldSplit[] {
  const dir = join(project, DEFAULT_DATA);
  return symbols.flatMap((symbol) => corporateActionsIn(dir, symbol).filter((each) => each.kind === 'split'));
}

/** Reads them anew each time, so that a line may be written while the bot runs; while one is wrong, what was read before holds. */
export function toldSplits(
  { project, setup, onAlarm }: Pick<PaperOptions, 'project' | 'setup' | 'onAlarm'>,
  machine: Clock,
): () => readonly ToldSplit[] {
  const symbols = setup.securities.map(({ symbol }) => symbol);
  let known = splitsIn(project, symbols);
  let said: string | undefined;
  return () => {
    try {
      known = splitsIn(project, symbols);
      said = undefined;
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      const { message } = error;
      if (said !== message) onAlarm?.({ code: 'splits-unread', message, at: machine.now(), facts: {} });
      said = message;
    }
    return known;
  };
}
