/** Commands of the keys. */
export type WatchCommand = 'kill' | 'halt' | 'resume';

/** Effect of a key. */
export type KeyEffect =
  | { readonly kind: 'none' | 'leave' | 'interrupt' | 'why' | 'back' }
  /** Selects the previous or next row. */
  | { readonly kind: 'move'; readonly by: -1 | 1 }
  | { readonly kind: 'ask' | 'give'; readonly command: WatchCommand };

const CTRL_C = '\u0003';

/** Effect of a key while a command waits for confirmation: a kill and a resume need the same key twice in a row. */
export function effectOf(key: string, pendingCommand: WatchCommand | undefined): KeyEffect {
  switch (key.toLowerCase()) {
    case 'k':
      return { kind: pendingCommand === 'kill' ? 'give' : 'ask', command: 'kill' };
    case 'r':
      return { kind: pendingCommand === 'resume' ? 'give' : 'ask', command: 'resume' };
    case 'p':
      return { kind: 'give', command: 'halt' };
    case 'w':
      return { kind: 'why' };
    case 'up':
      return { kind: 'move', by: -1 };
    case 'down':
      return { kind: 'move', by: 1 };
    case 'escape':
      return { kind: 'back' };
    case 'q':
      return { kind: 'leave' };
    case CTRL_C:
      return { kind: 'interrupt' };
    default:
      return { kind: 'none' };
  }
}
