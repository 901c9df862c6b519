import type { OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CallResult } from '../calls/call.ts';
import { httpResponseOf } from '../server/http-response.ts';
import type { ArrivalFault, ConnectionFault, TransportFault } from './fault-specs.ts';

export interface TransportCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly serve: () => CallResult;
  readonly send: (reply: FastifyReply, outcome: CallResult) => FastifyReply;
  readonly machine: Clock;
}

export function injectTransportFault(
  fault: TransportFault | ConnectionFault,
  call: TransportCall,
): FastifyReply {
  const { request, reply, serve, send, machine } = call;
  switch (fault.knob) {
    case 'net.dropRequest':
      return destroyConnection(request, reply);
    case 'net.dropResponse':
      serve();
      return destroyConnection(request, reply);
    case 'net.duplicate':
      serve();
      return send(reply, serve());
    case 'net.delayResponse': {
      const outcome = serve();
      machine.at(millis(machine.now() + fault.ms), 'answer', () => {
        send(reply, outcome);
      });
      return reply;
    }
    case 'net.resetResponseAfter': {
      const answer = rawAnswer(reply, serve());
      const socket = hijackedSocket(request, reply);
      socket.write(answer.subarray(0, fault.bytes), () => socket.resetAndDestroy());
      return reply;
    }
    case 'net.halfClose':
      return serveThenHalfClose(fault.ms, call);
    case 'net.slicer': {
      const answer = rawAnswer(reply, serve());
      writeInSlices(hijackedSocket(request, reply), answer, { fault, machine });
      return reply;
    }
    case 'net.blackhole':
      hijackedSocket(request, reply);
      return reply;
    case 'net.bandwidth':
      return serveAtBandwidth(fault.bytesPerS, call);
    default:
      return unreachable(fault);
  }
}

/** Reads `fault.bytes` bytes of a request's body, then resets the connection; a shorter body is reset at its end. */
export function resetDuringRequest(fault: ArrivalFault, request: FastifyRequest): void {
  const { socket } = request.raw;
  const reset = (): void => {
    socket.resetAndDestroy();
  };
  if (fault.bytes === 0) {
    reset();
    return;
  }
  let read = 0;
  request.raw.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read >= fault.bytes) reset();
  });
  request.raw.on('end', reset);
}

function destroyConnection(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}

function hijackedSocket(request: FastifyRequest, reply: FastifyReply): Socket {
  reply.hijack();
  return request.raw.socket;
}

/** Returns the whole answer as bytes of HTTP/1.1, with its headers. */
function rawAnswer(reply: FastifyReply, outcome: CallResult): Buffer {
  const { status, text } = httpResponseOf(outcome);
  const body = Buffer.from(text);
  const headers = Object.entries({ ...reply.getHeaders(), 'content-length': body.length });
  const lines = headers.map(([name, value]) => `${name}: ${String(value)}\r\n`);
  const type = 'content-type: application/json; charset=utf-8\r\n';
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Faulty\r\n${type}${lines.join('')}\r\n`), body]);
}

/**
 * Writes `fault.bytes` bytes every `fault.ms` milliseconds of machine time, until all are sent or the client
 * disconnects.
 */
function writeInSlices(
  socket: Socket,
  bytes: Buffer,
  { fault, machine }: { fault: Extract<ConnectionFault, { knob: 'net.slicer' }>; machine: Clock },
): void {
  if (socket.destroyed || bytes.length === 0) return;
  socket.write(bytes.subarray(0, fault.bytes));
  machine.at(millis(machine.now() + fault.ms), 'answer', () => {
    writeInSlices(socket, bytes.subarray(fault.bytes), { fault, machine });
  });
}

/** Interval at which a slow connection sends its share. */
const CHUNK_INTERVAL_MS = 100;

/**
 * Serves a call once its bytes would have arrived at this speed, and answers at this speed; the connection stays
 * usable.
 */
function serveAtBandwidth(
  bytesPerS: number,
  { request, reply, serve, machine }: TransportCall,
): FastifyReply {
  const { raw } = reply.hijack();
  const later = (ms: number, work: () => void): void => {
    machine.at(millis(machine.now() + ms), 'answer', () => {
      if (!raw.destroyed) work();
    });
  };
  later((1_000 * bytesOf(request)) / bytesPerS, () => {
    const { status, text } = httpResponseOf(serve());
    const body = Buffer.from(text);
    const headers = { ...reply.getHeaders(), 'content-type': JSON_TYPE, 'content-length': body.length };
    raw.writeHead(status, headers as OutgoingHttpHeaders);
    const portion = Math.max(1, Math.floor((bytesPerS * CHUNK_INTERVAL_MS) / 1_000));
    const carry = (from: number): void => {
      if (from + portion >= body.length) raw.end(body.subarray(from));
      else {
        raw.write(body.subarray(from, from + portion));
        later((1_000 * portion) / bytesPerS, () => carry(from + portion));
      }
    };
    raw.flushHeaders();
    later((1_000 * HEADER_BYTES) / bytesPerS, () => carry(0));
  });
  return reply;
}

/** Approximate length of an answer's headers. */
const HEADER_BYTES = 250;
const JSON_TYPE = 'application/json; charset=utf-8';

function bytesOf({ raw, body }: FastifyRequest): number {
  const head = raw.rawHeaders.reduce((sum, text) => sum + text.length + 2, (raw.url?.length ?? 0) + 16);
  return head + (Buffer.isBuffer(body) ? body.length : 0);
}

const CUT_ON_REUSE = new WeakSet<Socket>();

/** True for a keep-alive connection that must be closed at the next request. */
export function isCutOnReuse(socket: Socket): boolean {
  return CUT_ON_REUSE.has(socket);
}

/** Answers, then closes the keep-alive connection: after `ms`, or if undefined at the next request on it. */
function serveThenHalfClose(
  ms: number | undefined,
  { request, reply, serve, send, machine }: TransportCall,
): FastifyReply {
  const { socket } = request.raw;
  if (ms === undefined) CUT_ON_REUSE.add(socket);
  else {
    reply.raw.once('finish', () => {
      machine.at(millis(machine.now() + ms), 'answer', () => socket.end());
    });
  }
  return send(reply, serve());
}
