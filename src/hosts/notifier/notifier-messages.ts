import { printable } from '../../model/printable.ts';
import { fieldsOf } from '../strategy/fields-of.ts';
import type { WorkerMessage } from '../workers/rpc-worker.ts';

/** What became of a notice. */
export type Delivered =
  | { readonly kind: 'carried' }
  /** The notifier reported a failure; it may deliver the next notice. */
  | { readonly kind: 'failed'; readonly what: string }
  | NotifierEnd;

/** The notifier's thread is gone. */
export interface NotifierEnd {
  readonly kind: 'over';
  readonly what: string;
}

const TEXT_CHARS_MAX = 500;

/** Reads what came out of a notifier's thread; undefined when our own part of the thread would say no such thing. */
export function readNotifierMessage(value: unknown): WorkerMessage<undefined, Delivered> | undefined {
  const fields = fieldsOf(value);
  const { number } = fields;
  const what = typeof fields['what'] === 'string' ? printable(fields['what'], TEXT_CHARS_MAX) : '';
  switch (fields['kind']) {
    case 'ready':
      return { kind: 'ready', ready: undefined };
    case 'over':
      return { kind: 'over', what, stack: '' };
    case 'carried':
    case 'failed': {
      const answer: Delivered = fields['kind'] === 'failed' ? { kind: 'failed', what } : { kind: 'carried' };
      return typeof number === 'number' ? { kind: 'answer', number, answer } : undefined;
    }
    default:
      return undefined;
  }
}
