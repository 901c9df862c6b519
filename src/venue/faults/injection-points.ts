import type { EndpointName } from '../../wire/endpoints.ts';
import type {
  ActionFault,
  ArrivalFault,
  CallFault,
  FaultName,
  FaultSpec,
  FrameFault,
  PushFault,
  QuoteFault,
  ReplyFault,
  WithoutFault,
} from './fault-specs.ts';

/** Where in the venue a fault works. */
export type InjectionPoint = 'arrival' | 'call' | 'action' | 'push' | 'quote' | 'frame' | 'reply' | 'without';

/** The faults of each point. */
export interface FaultsAt {
  readonly arrival: ArrivalFault;
  readonly call: CallFault;
  readonly action: ActionFault;
  readonly push: PushFault;
  readonly quote: QuoteFault;
  readonly frame: FrameFault;
  readonly reply: ReplyFault;
  readonly without: WithoutFault;
}

const POINT_OF: Readonly<Record<FaultName, InjectionPoint>> = {
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
  'net.cut': 'action',
  'net.refuse': 'action',
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
  'venue.adjust': 'action',
  'venue.foreign': 'action',
  'venue.foreignCancel': 'action',
  'venue.fillDuring': 'action',
  'venue.overfill': 'action',
  'venue.session': 'action',
  'venue.split': 'action',
  'venue.restart': 'action',
  'venue.close': 'action',
};

/** Endpoints that a fault is about when it names none; all where it is not listed. */
const NATURAL: Partial<Record<FaultName, readonly EndpointName[]>> = {
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
const EITHER: ReadonlySet<FaultName> = new Set(['net.slicer', 'net.blackhole', 'net.bandwidth']);

/** Where this fault works; one about trickling, a narrow line or silence works on frames when it names a socket. */
function pointOf(fault: FaultSpec): InjectionPoint {
  return 'side' in fault && EITHER.has(fault.knob) ? 'frame' : POINT_OF[fault.knob];
}

/** True when the fault works at that point. */
export function isAt<At extends InjectionPoint>(
  fault: FaultSpec,
  point: At,
): fault is FaultsAt[At] & FaultSpec {
  return pointOf(fault) === point;
}

/** True when a fault is about calls of that endpoint: it names it, or names none and is about it by nature. */
export function isAboutCall(fault: FaultSpec, name: EndpointName): boolean {
  if ('endpoint' in fault && fault.endpoint !== undefined) return fault.endpoint === name;
  return NATURAL[fault.knob]?.includes(name) ?? true;
}
