/** Program of a notifier's worker: has network access but no files or processes; delivers one notice at a time. */
import type { NoticeKinds } from '../model/notice.ts';
import { NOTICE_HOOKS, type NotifierContext, type NotifierPlugin } from '../plugins/define-notifier.ts';
import { PLUGIN_KINDS } from '../plugins/kinds.ts';
import type { NotifierSetup } from './notifier/notifier-messages.ts';
import { importPlugin } from './plugins/import-plugin.ts';
import { saveCompileCache } from './sandbox/compile-cache.ts';
import { linkToHost } from './sandbox/host-link.ts';
import { enterSandbox } from './sandbox/sandbox.ts';
import { unpackPlain } from './strategy/request-codec.ts';
import { fieldsOf } from './workers/read-fields.ts';
import { readThrown } from './workers/thrown.ts';

/** Niceness of notifiers. */
const NICENESS = 10;

interface NotifierRequest {
  readonly number: number;
  readonly request: unknown;
}

/** The hooks of a notifier, each of which takes its own kind of notice. */
type Hooks = {
  readonly [K in (typeof NOTICE_HOOKS)[keyof NoticeKinds]]?: (
    notice: never,
    context: NotifierContext,
  ) => unknown;
};

const setup = await linkToHost<NotifierSetup>();
const { port, modules, params, secrets, bot } = setup;
/** Aborts the notice in delivery; there is at most one. */
let delivery = new AbortController();

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
    if (request === 'time is up') delivery.abort(new Error(`time is up: ${setup.abortMs} ms`));
    else void deliver(notifier, request);
  });
  saveCompileCache();
  port.postMessage({ kind: 'ready' });
}

async function deliver(notifier: NotifierPlugin, { number, request }: NotifierRequest): Promise<void> {
  delivery = new AbortController();
  try {
    const { kind, notice } = unpackPlain(request) as { kind: keyof NoticeKinds; notice: never };
    const hooks: Hooks = notifier;
    await hooks[NOTICE_HOOKS[kind]]?.(notice, { params, secrets, bot, signal: delivery.signal });
    port.postMessage({ kind: 'answer', number, answer: { kind: 'carried' } });
  } catch (thrown) {
    const { message, place } = readThrown(thrown);
    const { retryAfterMs } = fieldsOf(thrown);
    const answer = {
      kind: 'failed',
      what: `${message}${place}`,
      retryAfterMs: Number(retryAfterMs ?? Number.NaN),
    };
    port.postMessage({ kind: 'answer', number, answer });
  }
}
