import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
import { Readable, Writable } from 'node:stream';
import v8 from 'node:v8';
import { writeAll } from './module-client.ts';

const TYPED_ARRAY: unknown = Object.getPrototypeOf(Float64Array);
const COLUMN_BUILTINS: readonly unknown[] = [
  TYPED_ARRAY,
  Object.getPrototypeOf(Float64Array.prototype),
  Float64Array,
  Float64Array.prototype,
];

/**
 * Removes from this process, before an author's code runs, what a plugin could reach without loading a module: the
 * environment, the channel to the host, the console's handles, and without `network` the functions that open sockets.
 * Freezes the built-ins of numeric columns, because a replacement could obtain memory that threads share. Node's
 * permissions and, on Linux, the limit of open files refuse the rest. `onText` is called with the number of bytes
 * before they are written to the console.
 */
export function closeProcess(
  noun: string,
  { network, onText }: { readonly network: boolean; readonly onText?: ((chars: number) => void) | undefined },
): void {
  for (const owner of COLUMN_BUILTINS) Object.freeze(owner);
  // Deleting variables would make ICU read the time zone again, from a file.
  fix(process, 'env', {});
  fix(process, 'stdin', Readable.from([]));
  for (const [name, fd] of [
    ['stdout', 1],
    ['stderr', 2],
  ] as const)
    fix(process, name, consoleTo(fd, onText));
  const refuse = (owner: object, what: string, names: readonly string[]): void => {
    for (const name of new Set(names)) {
      if (typeof Reflect.get(owner, name) !== 'function') continue;
      fix(owner, name, () => {
        throw new Error(`A ${noun} cannot use ${what}${name}: it reaches out of its process`);
      });
    }
  };
  refuse(process, 'process.', [
    'send',
    'disconnect',
    'chdir',
    'abort',
    '_getActiveHandles',
    '_getActiveRequests',
  ]);
  refuse(v8, 'v8.', [
    'setFlagsFromString',
    'setHeapSnapshotNearHeapLimit',
    'writeHeapSnapshot',
    'takeCoverage',
  ]);
  if (network) return;
  refuse(net.Socket.prototype, 'a socket: ', ['connect']);
  refuse(net.Server.prototype, 'a server: ', ['listen']);
  refuse(dgram.Socket.prototype, 'a socket: ', ['bind', 'connect', 'send', 'addMembership']);
  refuse(dgram, 'dgram.', ['createSocket']);
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    refuse(owner, 'dns.', [
      ...Object.getOwnPropertyNames(owner),
      'resolve',
      'resolve4',
      'resolve6',
      'resolveTxt',
    ]);
}

/** Creates a console stream without Node's stream for pipes, which opens sockets. */
function consoleTo(fd: number, onText?: (chars: number) => void): Writable {
  return new Writable({
    decodeStrings: true,
    write: (bytes: Buffer, _encoding, done) => {
      onText?.(bytes.length);
      writeAll(fd, bytes);
      done();
    },
  });
}

function fix(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, {
    value,
    configurable: false,
    writable: false,
    enumerable: name === 'env',
  });
}
