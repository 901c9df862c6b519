import type { EndpointName } from '../../wire/endpoints.ts';
import { decodeRequest } from '../../wire/request.ts';
import { type Call, type CallResult, refused } from './call.ts';
import type { Handlers } from './handlers.ts';

export interface RawRequest {
  readonly query: string;
  readonly body: string;
}

/** Endpoints with their own code for bad parameters. @see docs/wire-protocol.md, "Codes" */
const BAD_PARAMETERS_OF: Partial<Record<EndpointName, number>> = { securityList: 310010 };

export function serveCall<Name extends EndpointName>(
  handlers: Handlers,
  name: Name,
  raw: RawRequest,
  call: Call,
): CallResult {
  const read = decodeRequest(name, raw);
  if (read.kind === 'invalid') return refused(BAD_PARAMETERS_OF[name] ?? read.code, read.message);
  return handlers[name](read.request, call);
}
