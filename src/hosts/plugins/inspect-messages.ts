import type { PluginKind } from '../../plugins/kinds.ts';
import type { OtherKind, PluginFacts } from '../../plugins/plugin-facts.ts';
import type { StrategyFacts } from '../../strategy/strategy-facts.ts';
import { fieldsOf } from '../workers/read-fields.ts';
import { MESSAGE_CHARS_MAX } from '../workers/thrown.ts';
import { type FactsReading, readFacts, readPluginFacts } from './read-facts.ts';

/** Start data of a thread that inspects a plugin's file. */
export interface InspectSetup {
  /** Absolute path of the plugin's file. */
  readonly file: string;
  readonly kind: PluginKind;
}

export type FactsOf = { readonly strategy: StrategyFacts } & { readonly [K in OtherKind]: PluginFacts };

/** The metadata of a plugin, or a fault; `what` continues a sentence that starts with the file name. */
export type PluginInspection<F = StrategyFacts> = { readonly kind: 'ok'; readonly facts: F } | InspectFault;

interface InspectFault {
  readonly kind: 'fault';
  readonly code: (typeof CODES)[number];
  readonly what: string;
}

const CODES = ['import-failed', 'no-default-export', 'not-a-strategy', 'not-a-plugin'] as const;

/** Reads the result of a thread that runs untrusted code. */
export function readInspection<K extends PluginKind>(value: unknown, kind: K): PluginInspection<FactsOf[K]> {
  const fields = fieldsOf(value);
  if (fields['kind'] === 'facts') {
    const read = READERS[kind](fields['facts']);
    const code = kind === 'strategy' ? 'not-a-strategy' : 'not-a-plugin';
    return read.kind === 'ok' ? read : { kind: 'fault', code, what: read.what };
  }
  const { what } = fields;
  if (fields['kind'] !== 'over' || typeof what !== 'string')
    return { kind: 'fault', code: 'import-failed', what: 'sent a message that no question asked for' };
  const code = CODES.find((known) => known === fields['code']) ?? 'import-failed';
  return { kind: 'fault', code, what: what.slice(0, 2 * MESSAGE_CHARS_MAX) };
}

const READERS: { readonly [K in PluginKind]: (value: unknown) => FactsReading<FactsOf[K]> } = {
  strategy: readFacts,
  'risk-rule': readPluginFacts,
  'fill-model': readPluginFacts,
  notifier: readPluginFacts,
  objective: readPluginFacts,
};
