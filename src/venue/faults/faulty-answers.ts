import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import { errorCode } from '../../wire/error-codes.ts';
import { type CallResult, refused } from '../calls/call.ts';
import type { CallFault, DataFault, OrderFault, RefusalFault } from './fault-specs.ts';
import { corruptedText } from './faulty-data.ts';
import { injectTransportFault, type TransportCall } from './faulty-transport.ts';

export interface FaultyCall extends TransportCall {
  readonly fault: CallFault;
  /** Market time, for delayed listings. */
  readonly marketNow: () => Millis;
  readonly afterOrder: (fault: OrderFault, request: FastifyRequest, outcome: CallResult) => void;
}

const JSON_TYPE = 'application/json; charset=utf-8';

export function answerWithFault(call: FaultyCall): FastifyReply {
  const { fault } = call;
  switch (fault.knob) {
    case 'net.dropRequest':
    case 'net.dropResponse':
    case 'net.delayResponse':
    case 'net.resetResponseAfter':
    case 'net.halfClose':
    case 'net.duplicate':
    case 'net.slicer':
    case 'net.blackhole':
    case 'net.bandwidth':
      return injectTransportFault(fault, call);
    case 'venue.fillRace':
    case 'venue.lateFill':
    case 'venue.asyncReject':
    case 'venue.replaceNewId': {
      const outcome = call.serve();
      call.afterOrder(fault, call.request, outcome);
      return call.send(call.reply, outcome);
    }
    case 'venue.numericId':
    case 'venue.shape':
    case 'venue.listLag':
    case 'venue.emptyList':
    case 'venue.pages':
    case 'venue.garbage':
    case 'venue.enum':
    case 'venue.estimate':
    case 'venue.marginStep':
    case 'venue.date':
      return answerCorrupted(fault, call);
    default:
      return answerWithFalseError(fault, call);
  }
}

function answerCorrupted(
  fault: DataFault,
  { reply, serve, send, marketNow, machine }: FaultyCall,
): FastifyReply {
  if (fault.knob === 'venue.date') {
    const { form, ms } = fault;
    if (form === 'missing') {
      reply.removeHeader('date');
      reply.raw.sendDate = false;
    } else {
      const shifted = new Date(machine.now() + ms).toUTCString();
      reply.header('date', form === 'shifted' ? shifted : 'Thu, 32 Foo 20xx 99:99:99 GMT');
    }
    return send(reply, serve());
  }
  const outcome = serve();
  if (outcome.kind !== 'ok') return send(reply, outcome);
  return reply.header('content-type', JSON_TYPE).send(corruptedText(fault, outcome.data, marketNow()));
}

function answerWithFalseError(
  fault: RefusalFault,
  { request, reply, serve, send }: FaultyCall,
): FastifyReply {
  switch (fault.knob) {
    case 'venue.html':
      return htmlPage(reply, fault.status);
    case 'venue.limit':
      return fault.envelope
        ? send(reply, answerWithCode(fault.code))
        : reply.code(429).send('Too Many Requests\n');
    case 'venue.fail':
      return send(reply, answerWithCode(fault.code));
    case 'venue.dup':
      return send(reply, answerWithCode(403202));
    case 'venue.badsig':
      return send(reply, answerWithCode(403201));
    case 'venue.expireToken':
      return send(reply, answerWithCode(401003));
    case 'venue.cancelLie':
      return send(reply, refused(603001, 'Order not found'));
    case 'venue.rules':
      return send(reply, refused(602001, fault.message));
    case 'venue.fx':
      return request.url.includes(`currency=${fault.currency ?? ''}`)
        ? send(reply, refused(602001, 'currency: no rate is known now'))
        : send(reply, serve());
    case 'venue.lie':
      serve();
      return send(reply, answerWithCode(fault.code));
    default:
      return unreachable(fault);
  }
}

function htmlPage(reply: FastifyReply, status: number): FastifyReply {
  const to = status >= 300 && status < 400 ? { location: 'http://portal.invalid/login' } : {};
  const words = status === 502 ? '502 Bad Gateway' : String(status);
  return reply
    .code(status)
    .headers({ 'content-type': 'text/html', ...to })
    .send(`<h1>${words}</h1>\n`);
}

function answerWithCode(code: number): CallResult {
  return refused(code, errorCode(code).message);
}
