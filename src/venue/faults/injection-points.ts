import type { EndpointName } from '../../wire/endpoints.ts';
import type {
  ArrivalKnob,
  CallKnob,
  DeedKnob,
  FaultKnob,
  FrameKnob,
  KnobName,
  PushKnob,
  QuoteKnob,
  ReplyKnob,
  WithoutKnob,
} from './fault-specs.ts';

/** Where in the venue a knob works. */
export type Seam = 'arrival' | 'call' | 'deed' | 'push' | 'quote' | 'frame' | 'reply' | 'without';

/** The knobs of each seam. */
export interface KnobsAt {
  readonly arrival: ArrivalKnob;
  readonly call: CallKnob;
  readonly deed: DeedKnob;
  readonly push: PushKnob;
  readonly quote: QuoteKnob;
  readonly frame: FrameKnob;
  readonly reply: ReplyKnob;
  readonly without: WithoutKnob;
}

const SEAMS: Readonly<Record<KnobName, Seam>> = {
  'net.dropRequest': 'call',
  'net.dropResponse': 'call',
  'net.delayResponse': 'call',
  'net.resetAfter': 'arrival',
  'net.resetResponseAfter': 'call',
  'net.halfClose': 'call',
  'net.duplicate': 'call',
  'net.slicer': 'call',
  'net.blackhole': 'call',
  'net.bandwidth': 'call',
  'net.stall': 'quote',
  'net.cut': 'deed',
  'net.refuse': 'deed',
  'venue.fail': 'call',
  'venue.lie': 'call',
  'venue.html': 'call',
  'venue.limit': 'call',
  'venue.dup': 'call',
  'venue.badsig': 'call',
  'venue.expireToken': 'call',
  'venue.cancelLie': 'call',
  'venue.rules': 'call',
  'venue.fx': 'call',
  'venue.numericId': 'call',
  'venue.shape': 'call',
  'venue.listLag': 'call',
  'venue.emptyList': 'call',
  'venue.pages': 'call',
  'venue.garbage': 'call',
  'venue.enum': 'call',
  'venue.estimate': 'call',
  'venue.marginStep': 'call',
  'venue.date': 'call',
  'venue.fillRace': 'call',
  'venue.lateFill': 'call',
  'venue.asyncReject': 'call',
  'venue.replaceNewId': 'call',
  'venue.push.drop': 'push',
  'venue.push.dup': 'push',
  'venue.push.shuffle': 'push',
  'venue.push.late': 'push',
  'venue.push.garbage': 'push',
  'venue.freeze': 'quote',
  'venue.spike': 'quote',
  'venue.cross': 'quote',
  'venue.seq': 'quote',
  'venue.flood': 'quote',
  'venue.frame': 'frame',
  'venue.reqid': 'frame',
  'venue.expires': 'reply',
  'venue.subPartial': 'reply',
  'venue.bars': 'reply',
  'venue.without': 'without',
  'venue.adjust': 'deed',
  'venue.foreign': 'deed',
  'venue.foreignCancel': 'deed',
  'venue.fillDuring': 'deed',
  'venue.overfill': 'deed',
  'venue.session': 'deed',
  'venue.split': 'deed',
  'venue.restart': 'deed',
  'venue.close': 'deed',
};

/** Endpoints that a knob is about when it names none; all where it is not listed. */
const NATURAL: Partial<Record<KnobName, readonly EndpointName[]>> = {
  'venue.cancelLie': ['cancelOrder'],
  'venue.fillRace': ['cancelOrder'],
  'venue.lateFill': ['cancelOrder'],
  'venue.numericId': ['submitOrder'],
  'venue.asyncReject': ['submitOrder'],
  'venue.rules': ['submitOrder', 'replaceOrder'],
  'venue.replaceNewId': ['replaceOrder'],
  'venue.listLag': ['todayOrders'],
  'venue.emptyList': ['todayOrders'],
  'venue.pages': ['todayOrders', 'historyOrders', 'todayExecutions', 'historyExecutions', 'allExecutions'],
  'venue.enum': ['todayOrders', 'historyOrders', 'orderDetail'],
  'venue.estimate': ['buyLimit'],
  'venue.marginStep': ['marginRatio'],
  'venue.fx': ['account'],
};

/** Knobs that work on frames when they name a socket. */
const EITHER: ReadonlySet<KnobName> = new Set(['net.slicer', 'net.blackhole', 'net.bandwidth']);

/** Where this knob works; one about trickling, a narrow line or silence works on frames when it names a socket. */
function seamOf(knob: FaultKnob): Seam {
  return 'side' in knob && EITHER.has(knob.knob) ? 'frame' : SEAMS[knob.knob];
}

/** True when the knob works at that seam. */
export function isAt<At extends Seam>(knob: FaultKnob, seam: At): knob is KnobsAt[At] & FaultKnob {
  return seamOf(knob) === seam;
}

/** True when a knob is about calls of that endpoint: it names it, or names none and is about it by nature. */
export function isAboutCall(knob: FaultKnob, name: EndpointName): boolean {
  if ('endpoint' in knob && knob.endpoint !== undefined) return knob.endpoint === name;
  return NATURAL[knob.knob]?.includes(name) ?? true;
}
