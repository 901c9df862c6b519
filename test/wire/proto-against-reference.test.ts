import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DescEnum, DescField, DescFile, DescMessage } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { file_control } from '../../src/wire/gen/control_pb.ts';
import { file_quote } from '../../src/wire/gen/quote_pb.ts';
import { file_trade } from '../../src/wire/gen/trade_pb.ts';

const reference = join(import.meta.dirname, '../../../shared/reference/broker-socket-protocol.md');
const files: readonly DescFile[] = [file_control, file_quote, file_trade];

/** The one message that goes by another name with us, since `Error` is JavaScript's. */
const OUR_NAME: Readonly<Record<string, string>> = { Error: 'ErrorBody' };

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

const rowsOf = (table: string) =>
  table
    .split('\n')
    .filter((line) => /^\| .*\|$/.test(line) && !/^\| (field|value|---)/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

/** Tables headed `**Name**` with field, number and type. */
function messageTables(text: string) {
  return [
    ...text.matchAll(
      /^\*\*(\w+)(?: \(nested in \w+\))?\*\*(.*)\n([\s\S]*?)(?=\n\n\n|\n\*\*|\n#|$(?![\s\S]))/gm,
    ),
  ]
    .filter((match) => /no fields|\| field \| no\. \|/.test(match[0]))
    .map((match) => ({ name: OUR_NAME[match[1] ?? ''] ?? match[1] ?? '', rows: rowsOf(match[3] ?? '') }));
}

/** Tables of value and name, as sets of "number name". */
function enumTables(text: string) {
  return [...text.matchAll(/^\| value \| name \|\n\|---\|---\|\n((?:\|.*\|\n)+)/gm)].map((match) =>
    rowsOf(match[1] ?? '').map(([value, name]) => `${value} ${name}`),
  );
}

describe.skipIf(!existsSync(reference))('messages against the protocol reference', () => {
  const text = existsSync(reference) ? readFileSync(reference, 'utf8') : '';
  const tables = messageTables(text);

  it('knows as many messages as the reference', () => {
    expect(tables.length).toBeGreaterThan(70);
    expect(tables.map((table) => table.name).toSorted()).toEqual([...messages.keys()].toSorted());
  });

  it.each(tables)('$name has the same fields, numbers and types', ({ name, rows }) => {
    const fields = messages.get(name)?.fields ?? [];
    const ours = fields.map((field) => [field.name, String(field.number), typeOf(field)]);
    expect(ours).toEqual(rows.map(([field, number, type]) => [field, number, type]));
  });

  it('has every enumeration of the reference, value by value', () => {
    const ours = files
      .flatMap(enumsOf)
      .map((each) => each.values.map((value) => `${value.number} ${value.name}`));
    const theirs = enumTables(text);
    expect(theirs.length).toBeGreaterThan(12);
    for (const table of theirs) expect(ours).toContainEqual(table);
    expect(ours).toHaveLength(theirs.length);
  });
});
