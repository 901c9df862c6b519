import { setFlagsFromString } from 'node:v8';

/** How many bytes of bytecode V8 compiles into one piece with their caller; 920 unless somebody says otherwise. */
const FLAG = '--max-inlined-bytecode-size-cumulative';
const USUAL = 920;
/** Enough for the way of a bar with its event, its context and a hook: without it, which of them fall out is chance (docs/adr/0037). */
const ROOM = 1_380;

/**
 * Does some work while V8 compiles half as much more into one piece: in the whole process, which gets its usual setting back, so that
 * code which Node keeps on disk still fits. A setting of whoever started the process stays.
 */
export function withRoomToInline<T>(work: () => T): T {
  if (process.execArgv.some((arg) => arg.startsWith(FLAG))) return work();
  setFlagsFromString(`${FLAG}=${ROOM}`);
  try {
    return work();
  } finally {
    setFlagsFromString(`${FLAG}=${USUAL}`);
  }
}
