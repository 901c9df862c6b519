import type { MessagePort } from 'node:worker_threads';
import type { StrategyFacts } from '../strategy/strategy-facts.ts';
import { fieldsOf } from './fields-of.ts';
import { readFacts } from './read-facts.ts';
import { MESSAGE_CHARS_MAX } from './thrown.ts';

/** What a thread that looks at a plugin's file is started with. */
export interface LookSetup {
  /** What it found goes out here; the plugin never sees it. */
  readonly port: MessagePort;
  /** The plugin's file, an absolute path. */
  readonly file: string;
}

/** What a plugin says of itself, or what its file did instead, in words that follow the name of the file. */
export type PluginLook = { readonly kind: 'ok'; readonly facts: StrategyFacts } | LookFault;

export interface LookFault {
  readonly kind: 'fault';
  readonly code: (typeof CODES)[number];
  readonly what: string;
}

const CODES = ['import-failed', 'no-default-export', 'not-a-strategy', 'not-a-plugin'] as const;

/** Reads what came out of a thread in which foreign code runs. */
export function readLook(value: unknown): PluginLook {
  const said = fieldsOf(value);
  if (said['kind'] === 'facts') {
    const read = readFacts(said['facts']);
    return read.kind === 'ok' ? read : { kind: 'fault', code: 'not-a-strategy', what: read.what };
  }
  const { what } = said;
  if (said['kind'] !== 'over' || typeof what !== 'string')
    return { kind: 'fault', code: 'import-failed', what: 'sent something that nobody asked for' };
  const code = CODES.find((known) => known === said['code']) ?? 'import-failed';
  return { kind: 'fault', code, what: what.slice(0, 2 * MESSAGE_CHARS_MAX) };
}
