import type { FastifyRequest } from 'fastify';

/** Splits the raw request target at its first "?", exactly as it was signed. */
export function targetOf(request: FastifyRequest): { readonly path: string; readonly query: string } {
  const target = request.raw.url ?? '';
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}
