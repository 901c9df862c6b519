import { z } from 'zod';
import { parseDecimal } from '../../model/decimal.ts';
import { parseSymbol } from '../../model/symbol.ts';
import { ENDPOINTS } from '../../wire/endpoints.ts';

const endpointName = z.string().refine((name) => Object.hasOwn(ENDPOINTS, name), {
  error: `want the name of an endpoint: ${Object.keys(ENDPOINTS).join(', ')}`,
});

/**
 * When a fault fires: not at the first `skip` opportunities, at most `times` times (unlimited if absent), each time
 * with probability `chance`.
 */
export const firing = {
  chance: z.number().min(0).max(1).default(1),
  skip: z.int().min(0).default(0),
  times: z.int().min(1).optional(),
};

/** The same for calls of one endpoint; if absent, of the fault's usual endpoints (`appliesToCall`). */
export const callFiring = { endpoint: endpointName.optional(), ...firing };

/** The same for quotes of one symbol; all symbols if absent. */
export const symbol = z.string().refine((text) => parseSymbol(text) !== undefined, {
  error: 'want a symbol such as "700.HK"',
});
export const symbolFiring = { symbol: symbol.optional(), ...firing };

export const side = z.enum(['quote', 'trade']);
/** The same for frames of one socket; both sockets if absent. */
export const sideFiring = { side: side.optional(), ...firing };

/** Milliseconds, at most an hour. */
export const waitMs = z.int().min(0).max(3_600_000);

export const decimalText = z.string().refine((text) => parseDecimal(text) !== undefined, {
  error: 'want a decimal in a string',
});
