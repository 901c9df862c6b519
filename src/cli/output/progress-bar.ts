import { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import type { ViewSink } from './view.ts';

const BAR_CELLS = 28;

/** A drawn bar, at `done` of `whole`. */
export function startedBar(
  label: string,
  sink: ViewSink,
  { done, whole, note }: { readonly done: number; readonly whole: number; readonly note: string },
): SingleBar {
  const bar = new SingleBar({
    stream: streamOf(sink),
    format: `${label}  {bar} {percentage}%  {note}`,
    barsize: BAR_CELLS,
    barCompleteChar: '\u2588',
    barIncompleteChar: '\u2591',
    // No timer fires during a backtest: the bar is drawn when it is updated.
    synchronousUpdate: true,
    clearOnComplete: true,
    emptyOnZero: true,
    gracefulExit: false,
  });
  bar.start(whole, done, { note });
  return bar;
}

/** The sink as a stream for the bar's library. */
function streamOf(sink: ViewSink): NodeJS.WritableStream {
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      sink.write(String(chunk));
      done();
    },
  });
  return Object.assign(stream, { isTTY: sink.isTTY });
}
