import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { millis } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';

/** Editors write a file in several steps: it counts as saved after this time without a change, in machine milliseconds. */
const STILL_MS = 100;

/** Extensions of the source files of a strategy. */
const CODE = /\.[cm]?[jt]s$/;

/**
 * Calls `onSaved` whenever one of these files, or a code file in the same folder, was saved and is complete. Folders are watched, as most editors put a new
 * file in the place of the old one. The result ends it.
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
    // A folder that is removed ends its watch, and nothing else.
    watch(folder, wait).on('error', () => undefined),
  );
  return () => {
    cancel();
    for (const watcher of watchers) watcher.close();
  };
}
