/** Replacements of the machine's clock and random source. */
export interface DeterministicEnvironment {
  /** Market time, epoch milliseconds. */
  readonly now: () => number;
  readonly startsAt: number;
  /** Numbers in [0, 1). */
  readonly random: () => number;
}

const USE_HOOKS = 'decide in the hooks, they are called when something happens';
const INPUTS_ONLY = 'it decides from the arguments of its hooks and its parameters alone';

/** Globals that depend on the machine or reach beyond the thread, and the alternative for an author. */
const REFUSED: readonly (readonly [name: string, instead: string])[] = [
  ['setTimeout', USE_HOOKS],
  ['setInterval', USE_HOOKS],
  ['setImmediate', USE_HOOKS],
  ['fetch', INPUTS_ONLY],
  ['WebSocket', INPUTS_ONLY],
  ['EventSource', INPUTS_ONLY],
  ['BroadcastChannel', 'it answers by what its hooks return'],
];

/** Parts of `process` that reach beyond the thread. */
const REFUSED_OF_PROCESS = [
  'kill',
  'dlopen',
  'binding',
  'getBuiltinModule',
  'loadEnvFile',
  'setUncaughtExceptionCaptureCallback',
  // Node's internal equivalents, and the process report, which contains the environment and can be written anywhere.
  '_kill',
  '_linkedBinding',
  '_debugProcess',
  '_debugEnd',
  'execve',
  'report',
] as const;

/**
 * Replaces real time and randomness (`Date`, `performance`, `Math.random`, `crypto`) in the whole thread, and makes
 * timers, network and signals throw, so that runs repeat exactly and misuse fails at once. `noun` names the plugin in
 * errors.
 */
export function installDeterministicGlobals(world: DeterministicEnvironment, noun: string): void {
  const { random } = world;
  replaceDate(world);
  replaceIntl(world);
  replace(Math, 'random', random);
  replace(globalThis, 'performance', {
    timeOrigin: world.startsAt,
    now: () => world.now() - world.startsAt,
  });
  replace(globalThis, 'crypto', seededCrypto(random));
  for (const [name, instead] of REFUSED) {
    // Redefining a lazy property makes Node load its HTTP client (about 50 ms); deleting it first does not.
    Reflect.deleteProperty(globalThis, name);
    replace(globalThis, name, refusal(noun, name, instead));
  }
  replace(AbortSignal, 'timeout', refusal(noun, 'AbortSignal.timeout', USE_HOOKS));
  removeProcessControl(noun);
  replaceProcess(world);
}

function replaceDate({ now }: DeterministicEnvironment): void {
  const MarketDate = new Proxy(Date, {
    construct: (real, given, target) => Reflect.construct(real, given.length === 0 ? [now()] : given, target),
    apply: () => String(new Date(now())),
    get: (real, name, receiver) => (name === 'now' ? now : Reflect.get(real, name, receiver)),
  });
  replace(Date.prototype, 'constructor', MarketDate);
  replace(globalThis, 'Date', MarketDate);
}

/** A formatter without a date argument shows the current time. */
function replaceIntl({ now }: DeterministicEnvironment): void {
  const { prototype } = Intl.DateTimeFormat;
  const { formatToParts } = prototype;
  const format = Object.getOwnPropertyDescriptor(prototype, 'format')?.get;
  if (format === undefined) throw new Error('Cannot replace the clock of Intl: it has no format');
  Object.defineProperty(prototype, 'format', {
    configurable: true,
    get(this: Intl.DateTimeFormat) {
      const real: Intl.DateTimeFormat['format'] = format.call(this);
      return (date?: Date | number) => real(date ?? now());
    },
  });
  replace(prototype, 'formatToParts', function parts(this: Intl.DateTimeFormat, date?: Date | number) {
    return formatToParts.call(this, date ?? now());
  });
}

function seededCrypto(random: () => number): object {
  const byte = (): number => Math.floor(random() * 256);
  const seeded = { subtle: globalThis.crypto.subtle };
  replace(seeded, 'getRandomValues', (view: ArrayBufferView) => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = byte();
    return view;
  });
  replace(seeded, 'randomUUID', () => {
    const bytes = Array.from({ length: 16 }, byte);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = bytes.map((value) => value.toString(16).padStart(2, '0')).join('');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  });
  return seeded;
}

/** Replaces, in the whole thread, the parts of `process` that reach beyond it. */
export function removeProcessControl(noun: string): void {
  for (const name of REFUSED_OF_PROCESS) {
    replace(process, name, refusal(noun, `process.${name}`, 'it answers in its hooks and steers no process'));
  }
}

function replaceProcess({ now, startsAt }: DeterministicEnvironment): void {
  const sinceStart = (): number => now() - startsAt;
  const hrtime = ([seconds, nanos]: readonly [number, number] = [0, 0]): [number, number] => {
    const passed = BigInt(sinceStart()) * 1_000_000n - (BigInt(seconds) * 1_000_000_000n + BigInt(nanos));
    return [Number(passed / 1_000_000_000n), Number(passed % 1_000_000_000n)];
  };
  replace(process, 'hrtime', Object.assign(hrtime, { bigint: () => BigInt(sinceStart()) * 1_000_000n }));
  replace(process, 'uptime', () => sinceStart() / 1_000);
}

function refusal(noun: string, name: string, instead: string): () => never {
  return function refused(): never {
    throw new Error(`A ${noun} cannot use ${name}: ${instead}`);
  };
}

function replace(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: false });
}
