import type { SluiceEvent } from '#src/events/event.ts';

/**
 * Orders of a session: single orders; or in addition brackets, OCOs and TWAPs; or icebergs, VWAPs, trailing stops and
 * chases.
 */
export const SESSION_KINDS = ['orders', 'algorithms', 'parts'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** Where a bot kills itself, and in which session; in one of single orders if absent. */
export type KillPoint = KillPlace & { readonly session?: SessionKind };

/** `nth` counts from 1, from the start of the process. */
type KillPlace =
  /**
   * Right before a record is appended to the journal, or right after it is on disk, during recovery or the session.
   */
  | {
      readonly at: 'before-append' | 'after-append';
      readonly kind: SluiceEvent['kind'];
      readonly during: 'recovery' | 'session';
      readonly nth: number;
    }
  /** While a submit or a cancel is being sent: after twenty bytes, after all of them, or with its answer unread. */
  | {
      readonly at: 'first-byte' | 'last-byte' | 'unread-answer';
      readonly method: 'POST' | 'DELETE';
      readonly nth: number;
    }
  /** The answer has been read and is not yet in the journal. */
  | { readonly at: 'after-answer'; readonly call: 'submit' | 'cancel'; readonly nth: number }
  /** Recovery is about to send a request to the venue. */
  | { readonly at: 'question'; readonly call: Question; readonly nth: number };

export type Question = 'executionsToday' | 'positions' | 'balance' | 'ordersToday' | 'ordersBefore';

/** Instructions for a bot of the harness, passed as one line of JSON in its only argument. */
export interface BotPlan {
  readonly http: string;
  readonly quoteWs: string;
  readonly tradeWs: string;
  readonly appKey: string;
  readonly appSecret: string;
  readonly accessToken: string;
  /** Folder of the account: its lease and its journal. */
  readonly folder: string;
  readonly deployment: string;
  readonly symbols: readonly string[];
  /** Orders that the session requests before it ends normally. */
  readonly steps: number;
  readonly session: SessionKind;
  readonly kill: KillPoint | undefined;
  /** True if the bot may only use what the source document describes, and dies at any other call. */
  readonly onlyDocumented: boolean;
}

/** The state that a bot prints after its recovery, before it continues. */
export interface Recovered {
  readonly cash: Readonly<Record<string, string>>;
  readonly positions: Readonly<Record<string, string>>;
  readonly gate: string;
  /** Running algorithms. */
  readonly algorithms: number;
  readonly orders: readonly {
    readonly intentId: string;
    readonly submission: string;
    readonly orderId: string | undefined;
    readonly executed: string;
    readonly live: boolean;
  }[];
}

const SESSION: readonly SluiceEvent['kind'][] = [
  'intent-drafted',
  'intent-armed',
  'submit-sending',
  'submit-acked',
  'order-filled',
  'order-moved',
  'cancel-sending',
  'cancel-answered',
];
const SIDES = ['before-append', 'after-append'] as const;
const QUESTIONS: readonly Question[] = [
  'executionsToday',
  'positions',
  'balance',
  'ordersToday',
  'ordersBefore',
];

const session = (nth: number): readonly KillPoint[] =>
  SESSION.flatMap((kind) => SIDES.map((at) => ({ at, kind, during: 'session' as const, nth })));

const wire = (nth: number): readonly KillPoint[] => [
  ...(['POST', 'DELETE'] as const).flatMap((method) =>
    (['first-byte', 'last-byte', 'unread-answer'] as const).map((at) => ({ at, method, nth })),
  ),
  { at: 'after-answer', call: 'submit', nth },
  { at: 'after-answer', call: 'cancel', nth },
];

const inRecovery = (kind: SluiceEvent['kind']): readonly KillPoint[] =>
  SIDES.map((at) => ({ at, kind, during: 'recovery' as const, nth: 1 }));

/** A crash that leaves something to recover, followed by each crash within that recovery. */
function nested(left: KillPoint, kinds: readonly SluiceEvent['kind'][]): readonly KillPoint[] {
  return kinds.flatMap((kind) => inRecovery(kind).flatMap((point) => [left, point]));
}

const SENT: KillPoint = { at: 'last-byte', method: 'POST', nth: 1 };
const ARMED: KillPoint = { at: 'after-append', kind: 'intent-armed', during: 'session', nth: 1 };
const CANCELLED: KillPoint = { at: 'unread-answer', method: 'DELETE', nth: 1 };

const OF_ALGORITHMS: readonly SluiceEvent['kind'][] = [
  'algorithm-started',
  'algorithm-withdrew',
  'algorithm-ended',
  'intent-held',
];

const onBothSides = (kinds: readonly SluiceEvent['kind'][], nth: number): readonly KillPoint[] =>
  kinds.flatMap((kind) => SIDES.map((at): KillPoint => ({ at, kind, during: 'session', nth })));

/** Crashes with exits at the venue, orders that wait for them, and slices that are still due. */
const algorithms = (session: SessionKind): readonly KillPoint[] =>
  [
    ...onBothSides([...OF_ALGORITHMS, ...SESSION], 1),
    ...wire(1),
    ...onBothSides(['intent-armed', 'submit-acked', 'order-filled'], 2),
    ...onBothSides(['submit-acked'], 3),
  ].map((point) => ({ ...point, session }));

/**
 * Every kind of point at which a bot can die, early and late in a session, and within the recovery from each kind of
 * crash, with single orders and with algorithms unless `only` names one kind. Repeats them until there are `count`.
 */
export function killPoints(count: number, only?: SessionKind, onlyDocumented = false): readonly KillPoint[] {
  const once: readonly KillPoint[] = [
    ...session(1),
    ...wire(1),
    ...nested(SENT, [
      'lease-taken',
      'submit-unknown',
      'submit-acked',
      'order-filled',
      'order-moved',
      'run-started',
    ]),
    ...nested(ARMED, ['intent-denied']),
    ...nested(CANCELLED, ['cancel-answered', 'order-moved']),
    ...QUESTIONS.flatMap((call): readonly KillPoint[] => [SENT, { at: 'question', call, nth: 1 }]),
    ...session(2),
    ...wire(2),
    ...session(3),
  ];
  const all = [...once, ...algorithms('algorithms'), ...algorithms('parts')].filter(
    (point) =>
      (only === undefined || (point.session ?? 'orders') === only) && !(onlyDocumented && isBeyond(point)),
  );
  return Array.from({ length: count }, (_, index) => all[index % all.length] as KillPoint);
}

/** True for points that a bot without cancels and lists never reaches. */
function isBeyond(point: KillPoint): boolean {
  if ('kind' in point) return point.kind.startsWith('cancel-');
  if ('method' in point) return point.method === 'DELETE';
  return point.call !== 'submit' && point.call !== 'positions' && point.call !== 'balance';
}

/** A kill point as text for a report. */
export function pointText(point: KillPoint): string {
  return point.session === undefined ? placeText(point) : `${placeText(point)}, with ${point.session}`;
}

function placeText(point: KillPlace): string {
  switch (point.at) {
    case 'before-append':
    case 'after-append':
      return `${point.at} ${point.kind} ${point.nth} in ${point.during}`;
    case 'first-byte':
    case 'last-byte':
    case 'unread-answer':
      return `${point.at} of ${point.method} ${point.nth}`;
    case 'after-answer':
    case 'question':
      return `${point.at} ${point.call} ${point.nth}`;
  }
}
