import Table from 'cli-table3';
import type { RunRecord } from '../events/run-record.ts';
import { printable } from '../model/printable.ts';
import { countText, estimateText, moneyText, percentText } from './format.ts';
import { type Ink, inkFor } from './ink.ts';
import { originLabel, originOf, securityNote } from './origin.ts';
import { performanceOf } from './performance.ts';
import { journalLine, spanOfCloses, type TerminalOptions } from './terminal.ts';

const SECURITIES_SHOWN = 3;

/**
 * Formats one small table per config, in the order in which configs first appear, one row per run; ends in a newline.
 * Nothing is added up across configs: currencies differ, and generated prices must not join real ones.
 */
export function summaryText(records: readonly RunRecord[], options: TerminalOptions): string {
  const ink = inkFor(options.colour);
  const byConfig = Map.groupBy(records, (record) => record.config);
  return `${[...byConfig.values()].map((runs) => configSummary(runs, ink)).join('\n\n')}\n`;
}

function configSummary(runs: readonly RunRecord[], ink: Ink): string {
  const [first] = runs;
  if (first === undefined) return '';
  const notes = first.securities.slice(0, SECURITIES_SHOWN).map((security) => securityNote(security));
  const more = first.securities.length - notes.length;
  const table = new Table({
    head: ['Run', 'Trades', 'Return', 'Max drawdown', 'Equity', 'Fees'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
  });
  table.push(...runs.map((run) => row(run, ink)));
  return [
    `${ink.bold(printable(first.config, 300))}  ${ink.accent(printable(first.strategy))}  ${originLabel(originOf(first.securities), ink)}`,
    spanOfCloses(first),
    ...notes,
    ...(more > 0 ? [`  and ${more} more`] : []),
    table.toString(),
    ...runs.map((run) => journalLine(run.journal, runs.length === 1 ? undefined : run.mode)),
  ].join('\n');
}

function row(run: RunRecord, ink: Ink): string[] {
  const figures = performanceOf(run);
  const signed = (share: number): string => {
    const text = percentText(share, { signed: true });
    return share < 0 ? ink.bad(text) : ink.good(text);
  };
  const fees = figures.money.map((money) => moneyText(money.fees, money.currency)).join('\n');
  return [
    run.mode,
    countText(figures.closedTrades),
    estimateText(figures.totalReturn, signed),
    percentText(figures.maxDrawdown.share),
    moneyText(figures.finalEquity, run.currency),
    fees === '' ? moneyText(0, run.currency) : fees,
  ];
}
