import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { WireError } from './wire-error.ts';

/** Maximum number of fields in one message, counting list entries. @see docs/reliability.md, S-02 */
export const MAX_FIELDS = 10_000;

const MAX_MESSAGE_DEPTH = 32;

const READ_OPTIONS = { readUnknownFields: false, recursionLimit: MAX_MESSAGE_DEPTH } as const;

/**
 * Decodes a protobuf body. Skips unknown fields; 64-bit numbers are bigint. Throws WireError (`bad-message`) for
 * invalid bytes, and for a message above the limits on nesting and number of fields.
 */
export function decodeMessage<Desc extends DescMessage>(schema: Desc, body: Uint8Array): MessageShape<Desc> {
  try {
    if (body.length > MAX_FIELDS) requireFewFields(schema, new BinaryReader(body), body.length);
    return fromBinary(schema, body, READ_OPTIONS);
  } catch (cause) {
    if (cause instanceof WireError) throw cause;
    throw new WireError('bad-message', `Cannot read ${body.length} bytes as ${schema.name}`, { cause });
  }
}

/** Encodes a protobuf body from plain fields; absent fields take no bytes. */
export function encodeMessage<Desc extends DescMessage>(
  schema: Desc,
  fields: MessageInitShape<Desc>,
): Uint8Array<ArrayBuffer> {
  return toBinary(schema, create(schema, fields));
}

/**
 * Counts fields before decoding: a hostile body of two-byte entries would otherwise take fifty times its size in
 * memory. A field takes at least a byte, so short bodies are not counted.
 */
function requireFewFields(schema: DescMessage, reader: BinaryReader, end: number): void {
  let count = 0;
  while (reader.pos < end) {
    count += 1;
    if (count > MAX_FIELDS) {
      throw new WireError('bad-message', `Cannot read ${schema.name} with more than ${MAX_FIELDS} fields`);
    }
    const [number, wireType] = reader.tag();
    const nested = wireType === WireType.LengthDelimited ? nestedMessage(schema, number) : undefined;
    if (nested === undefined) reader.skip(wireType, number, MAX_MESSAGE_DEPTH);
    else {
      const length = reader.uint32();
      requireFewFields(nested, reader, reader.pos + length);
    }
  }
}

function nestedMessage(schema: DescMessage, number: number): DescMessage | undefined {
  const field = schema.fields.find((each) => each.number === number);
  return field?.fieldKind === 'message' || field?.fieldKind === 'list' ? field.message : undefined;
}
