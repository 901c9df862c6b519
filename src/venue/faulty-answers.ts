import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Millis, millis, SECOND_MS } from '../model/time.ts';
import type { Clock } from '../ports/clock.ts';
import { errorCode } from '../wire/error-codes.ts';
import { answered, type Outcome, refused } from './call.ts';
import type { CallKnob } from './fault-knobs.ts';

/** What a call that goes wrong is answered with. */
export interface FaultyCall {
  readonly knob: CallKnob;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Serves the call as if nothing were wrong. */
  readonly serve: () => Outcome;
  readonly send: (reply: FastifyReply, outcome: Outcome) => FastifyReply;
  readonly machine: Pick<Clock, 'now' | 'at'>;
  /** Market time, for listings that lag. */
  readonly marketNow: () => Millis;
}

/** Lets one call go wrong in the way that its knob says. */
export function answerFaultily(call: FaultyCall): FastifyReply {
  const { knob, request, reply, serve, send } = call;
  switch (knob.knob) {
    case 'net.dropRequest':
      return hangUp(request, reply);
    case 'net.dropResponse':
      serve();
      return hangUp(request, reply);
    case 'net.delayResponse':
      return sendLate(call, serve(), knob.ms);
    case 'venue.html':
      return reply.code(502).header('content-type', 'text/html').send('<h1>502 Bad Gateway</h1>\n');
    case 'venue.limit':
      return knob.envelope ? send(reply, told(429002)) : reply.code(429).send('Too Many Requests\n');
    case 'venue.fail':
      return send(reply, told(500000));
    case 'venue.dup':
      return send(reply, told(403202));
    case 'venue.badsig':
      return send(reply, told(403201));
    case 'venue.expireToken':
      return send(reply, told(401003));
    case 'venue.cancelLie':
      return send(reply, refused(603001, 'Order not found'));
    case 'venue.lie':
      serve();
      return send(reply, told(500000));
    case 'venue.numericId':
      return sendNumericId(call, serve());
    case 'venue.listLag':
      return send(reply, withoutNewest(serve(), call.marketNow() - knob.ms));
    case 'venue.emptyList':
      return send(reply, withoutNewest(serve(), Number.NEGATIVE_INFINITY));
  }
}

function told(code: number): Outcome {
  return refused(code, errorCode(code).message);
}

function hangUp(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}

function sendLate({ reply, send, machine }: FaultyCall, outcome: Outcome, ms: number): FastifyReply {
  machine.at(millis(machine.now() + ms), 'answer', () => {
    send(reply, outcome);
  });
  return reply;
}

/** The id as a number of JSON, digit for digit, as a careless server would write it. */
function sendNumericId({ reply, send }: FaultyCall, outcome: Outcome): FastifyReply {
  if (outcome.kind !== 'ok' || !('order_id' in outcome.data)) return send(reply, outcome);
  const id = String(outcome.data.order_id);
  const text = `{"code":0,"message":"success","msg":"success","data":{"order_id":${id}}}`;
  return reply.header('content-type', 'application/json; charset=utf-8').send(text);
}

/** A listing of orders without those submitted after an instant. */
function withoutNewest(outcome: Outcome, until: number): Outcome {
  if (outcome.kind !== 'ok' || !('orders' in outcome.data) || !Array.isArray(outcome.data.orders))
    return outcome;
  const orders = outcome.data.orders.filter(
    (order: { readonly submitted_at?: unknown }) => Number(order.submitted_at) * SECOND_MS <= until,
  );
  return answered({ ...outcome.data, orders });
}
