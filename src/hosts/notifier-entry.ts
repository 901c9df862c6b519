/** Program of a notifier's worker: has network access but no files or processes; delivers one notice at a time. */
import type { Alarm, DayNotice } from '../model/notice.ts';
import type { NotifierPlugin } from '../plugins/define-notifier.ts';
import { PLUGIN_KINDS } from '../plugins/kinds.ts';
import type { NotifierSetup } from './notifier/notifier-messages.ts';
import { importPlugin } from './plugins/import-plugin.ts';
import { keepCompiled } from './sandbox/compile-cache.ts';
import { linkToHost } from './sandbox/host-link.ts';
import { enterSandbox } from './sandbox/sandbox.ts';
import { unpackPlain } from './strategy/question-codec.ts';
import { readThrown } from './workers/thrown.ts';

/** Niceness of notifiers. */
const NICENESS = 10;

interface NotifierRequest {
  readonly number: number;
  readonly question: unknown;
}

const setup = await linkToHost<NotifierSetup>();
const { port, modules, params, secrets } = setup;
/** Aborts the notice in delivery; there is at most one. */
let late = new AbortController();

enterSandbox({ kind: 'notifier', port, modules, niceness: NICENESS });
await open();

async function open(): Promise<void> {
  const imported = await importPlugin(setup.file, PLUGIN_KINDS.notifier);
  if (imported.kind === 'fault') {
    port.postMessage({ kind: 'over', what: imported.what });
    return;
  }
  const notifier = imported.plugin;
  port.on('message', (request: NotifierRequest | 'time is up') => {
    if (request === 'time is up') late.abort(new Error(`time is up: ${setup.abortMs} ms`));
    else void deliver(notifier, request);
  });
  keepCompiled();
  port.postMessage({ kind: 'ready' });
}

async function deliver(notifier: NotifierPlugin, { number, question }: NotifierRequest): Promise<void> {
  late = new AbortController();
  try {
    const { kind, alarm, day } = unpackPlain(question) as { kind: string; alarm: Alarm; day: DayNotice };
    const context = { params, secrets, signal: late.signal };
    await (kind === 'alarm' ? notifier.onAlarm?.(alarm, context) : notifier.onDay?.(day, context));
    port.postMessage({ kind: 'answer', number, answer: { kind: 'carried' } });
  } catch (thrown) {
    const { message, place } = readThrown(thrown);
    port.postMessage({ kind: 'answer', number, answer: { kind: 'failed', what: `${message}${place}` } });
  }
}
