import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { millis } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';

/**
 * A file counts as saved after this time without a change, in machine milliseconds: editors write in several steps.
 */
const STILL_MS = 100;

/** Extensions of the source files of a strategy. */
const CODE = /\.[cm]?[jt]s$/;

/**
 * Calls `onSaved` when one of these files, or a code file in the same folder, was completely saved. Watches folders,
 * because most editors replace the file. Returns a function that ends the watch.
 */
export function watchFiles(files: readonly string[], clock: Clock, onSaved: () => void): Cancel {
  const names = new Set(files.map((file) => basename(file)));
  const folders = new Set(files.map((file) => dirname(file)));
  let cancel: Cancel = () => undefined;
  const wait = (_event: string, name: string | null): void => {
    if (name !== null && !names.has(name) && !CODE.test(name)) return;
    cancel();
    cancel = clock.at(millis(clock.now() + STILL_MS), 'timer', onSaved);
  };
  const watchers: FSWatcher[] = [...folders].map((folder) =>
    // The removal of a folder only ends its watch.
    watch(folder, wait).on('error', () => undefined),
  );
  return () => {
    cancel();
    for (const watcher of watchers) watcher.close();
  };
}
