import { printable } from '../model/printable.ts';
import type { ThreadWord } from './asked-thread.ts';
import { fieldsOf } from './fields-of.ts';

/** What became of a notice. */
export type Carried =
  | { readonly kind: 'carried' }
  /** The notifier said that it could not; it may carry the next. */
  | { readonly kind: 'failed'; readonly what: string }
  | NotifierEnd;

/** The notifier's thread is gone. */
export interface NotifierEnd {
  readonly kind: 'over';
  readonly what: string;
}

const TEXT_CHARS_MAX = 500;

/** Reads what came out of a notifier's thread; undefined when our own part of the thread would say no such thing. */
export function readNotifierWord(value: unknown): ThreadWord<undefined, Carried> | undefined {
  const said = fieldsOf(value);
  const number = Number(said['number']);
  const what = typeof said['what'] === 'string' ? printable(said['what'], TEXT_CHARS_MAX) : '';
  switch (said['kind']) {
    case 'ready':
      return { kind: 'ready', ready: undefined };
    case 'over':
      return { kind: 'over', what, stack: '' };
    case 'carried':
      return { kind: 'answer', number, answer: { kind: 'carried' } };
    case 'failed':
      return { kind: 'answer', number, answer: { kind: 'failed', what } };
    default:
      return undefined;
  }
}
