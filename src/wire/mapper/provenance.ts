import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import { Decimal, parseDecimal } from '../../model/decimal.ts';
import type { DataOrigin, Security } from '../../model/security.ts';
import { type Provenance, type ProvenanceSchema, SecurityProvenanceSchema } from '../gen/provenance_pb.ts';
import { type StaticInfo, StaticInfoSchema } from '../gen/quote_pb.ts';
import { encodeMessage } from '../message.ts';

/** As in `security.json`; longer texts are truncated. */
const TEXT_CHARS = 500;

/** Parses the provenance of a venue's prices; undefined if it is missing or unknown. */
export function readProvenance(wire: Provenance | undefined): DataOrigin | undefined {
  const source = wire?.source.slice(0, TEXT_CHARS) ?? '';
  if (wire?.kind === 'real' && source !== '')
    return { kind: 'real', source, license: wire.license.slice(0, TEXT_CHARS) || 'not stated' };
  if (wire?.kind !== 'generated') return undefined;
  const seed = Number(wire.seed);
  const method = wire.method.slice(0, TEXT_CHARS) || 'not stated';
  return { kind: 'generated', method, ...(Number.isSafeInteger(seed) && seed >= 0 ? { seed } : {}) };
}

/** Parses a lot size below one share; undefined if it is missing or invalid. */
export function readFractionalLot(text: string): number | undefined {
  const lot = parseDecimal(text)?.toNumber();
  return lot !== undefined && lot >= LOT_MIN && lot < 1 ? lot : undefined;
}

/** As in `security.json`. */
const LOT_MIN = 1e-8;

/** Adds the origin of prices, and a lot size below one share, to static info, in fields that other clients skip. */
export function withProvenance(
  fields: MessageInitShape<typeof StaticInfoSchema>,
  { origin, lotSize }: Pick<Security, 'origin' | 'lotSize'>,
): StaticInfo {
  const addition = encodeMessage(SecurityProvenanceSchema, {
    provenance: toWire(origin),
    ...(lotSize < 1 ? { lotSize: new Decimal(lotSize).toFixed() } : {}),
  });
  const { $unknown } = fromBinary(StaticInfoSchema, addition, { readUnknownFields: true });
  return Object.assign(create(StaticInfoSchema, fields), { $unknown });
}

function toWire(origin: DataOrigin): MessageInitShape<typeof ProvenanceSchema> {
  if (origin.kind !== 'generated') return origin;
  const { kind, method, seed } = origin;
  return { kind, method, ...(seed === undefined ? {} : { seed: BigInt(seed) }) };
}
