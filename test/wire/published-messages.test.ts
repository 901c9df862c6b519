import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DescEnum, DescField, DescFile, DescMessage } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { file_control } from '../../src/wire/gen/control_pb.ts';
import { file_quote } from '../../src/wire/gen/quote_pb.ts';
import { file_trade } from '../../src/wire/gen/trade_pb.ts';

const files: readonly DescFile[] = [file_control, file_quote, file_trade];

function messagesOf(messages: readonly DescMessage[]): readonly DescMessage[] {
  return messages.flatMap((each) => [each, ...messagesOf(each.nestedMessages)]);
}

function enumsOf(file: DescFile): readonly DescEnum[] {
  return [...file.enums, ...messagesOf(file.messages).flatMap((each) => each.nestedEnums)];
}

const messages = new Map(files.flatMap((file) => messagesOf(file.messages)).map((each) => [each.name, each]));

function typeOf(field: DescField): string {
  switch (field.fieldKind) {
    case 'scalar':
      return `${field.presence === 1 ? 'optional ' : ''}${ScalarType[field.scalar].toLowerCase()}`;
    case 'enum':
      return field.enum.name;
    case 'message':
      return field.message.name;
    case 'map': {
      const to = field.mapKind === 'message' ? field.message.name : 'string';
      return `map<string, ${to}>`;
    }
    case 'list': {
      if (field.listKind === 'message') return `repeated ${field.message.name}`;
      const of = field.listKind === 'enum' ? field.enum.name : ScalarType[field.scalar].toLowerCase();
      return `repeated ${of}`;
    }
  }
}

/** Fields as "name number type" by message, and values as "number name" by enumeration, of the broker's published schema files. */
const published: {
  readonly messages: Readonly<Record<string, readonly string[]>>;
  readonly enums: readonly (readonly string[])[];
} = JSON.parse(readFileSync(join(import.meta.dirname, 'published-messages.json'), 'utf8'));

describe('messages against the published schema of the broker', () => {
  it('are the same, by name', () => {
    expect(Object.keys(published.messages).toSorted()).toEqual([...messages.keys()].toSorted());
  });

  it.each(Object.entries(published.messages))('%s has the same fields, numbers and types', (name, fields) => {
    const ours = messages.get(name)?.fields ?? [];
    expect(ours.map((field) => `${field.name} ${field.number} ${typeOf(field)}`)).toEqual(fields);
  });

  it('have the same enumerations, value by value', () => {
    const ours = files
      .flatMap(enumsOf)
      .map((each) => each.values.map((value) => `${value.number} ${value.name}`));
    for (const values of published.enums) expect(ours).toContainEqual(values);
    expect(ours).toHaveLength(published.enums.length);
  });
});
