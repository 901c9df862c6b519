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

export type InjectionPoint = 'arrival' | 'call' | 'action' | 'push' | 'quote' | 'frame' | 'reply' | 'without';

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

/** Usual endpoints of a fault that names none; a fault not listed applies to all endpoints. */
const USUAL_ENDPOINTS: Partial<Record<FaultName, readonly EndpointName[]>> = {
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

/** Faults that apply to frames if they name a socket. */
const CONNECTION_FAULTS: ReadonlySet<FaultName> = new Set(['net.slicer', 'net.blackhole', 'net.bandwidth']);

function pointOf(fault: FaultSpec): InjectionPoint {
  return 'side' in fault && CONNECTION_FAULTS.has(fault.knob) ? 'frame' : POINT_OF[fault.knob];
}

export function isAt<At extends InjectionPoint>(
  fault: FaultSpec,
  point: At,
): fault is FaultsAt[At] & FaultSpec {
  return pointOf(fault) === point;
}

/** True if a fault applies to calls of that endpoint: it names it, or names none and usually applies to it. */
export function appliesToCall(fault: FaultSpec, name: EndpointName): boolean {
  if ('endpoint' in fault && fault.endpoint !== undefined) return fault.endpoint === name;
  return USUAL_ENDPOINTS[fault.knob]?.includes(name) ?? true;
}
