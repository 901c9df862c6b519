import { z } from 'zod';
import type { SecuritySymbol } from '../../model/symbol.ts';
import * as field from './parameter-fields.ts';
import { defined, type WireParameters } from './parameter-fields.ts';
import * as answer from './response-fields.ts';

/** Limits of our venue; the broker publishes none. @see ADR 0019 */
const MAX_GROUP_NAME = 64;
const MAX_GROUP_MEMBERS = 500;

const UPDATE_MODES = ['add', 'remove', 'replace'] as const;
const PIN_MODES = ['add', 'remove'] as const;

/** A new group; the order of its members is preserved. */
export interface CreateGroup {
  readonly name: string;
  readonly symbols: readonly SecuritySymbol[];
}

export interface UpdateGroup {
  readonly id: string;
  readonly name?: string;
  readonly members?: {
    readonly mode: (typeof UPDATE_MODES)[number];
    readonly symbols: readonly SecuritySymbol[];
  };
}

/** Removes a group; `purge` also unfollows its members in all groups. */
export interface DeleteGroup {
  readonly id: string;
  readonly purge: boolean;
}

export interface PinSymbols {
  readonly mode: (typeof PIN_MODES)[number];
  readonly symbols: readonly SecuritySymbol[];
}

const groupId = field.required(field.idText(20));
const groupName = field.text(MAX_GROUP_NAME);
const members = field.list(field.symbol, MAX_GROUP_MEMBERS);

/** Body of POST /v1/watchlist/groups. @see docs/wire-protocol.md, "Calls" */
export const createGroup = z
  .object({ name: field.required(groupName), securities: members })
  .transform((body): CreateGroup => ({ name: body.name, symbols: body.securities }));

/** Body of PUT /v1/watchlist/groups; omitted members remain unchanged. */
export const updateGroup = z
  .object({
    id: groupId,
    name: field.optional(groupName),
    securities: members.optional(),
    mode: field.optional(field.oneOf(UPDATE_MODES)),
  })
  .transform(({ id, name, securities, mode }): UpdateGroup => {
    const named = securities !== undefined && (securities.length > 0 || mode !== undefined);
    return defined({
      id,
      name,
      members: named ? { mode: mode ?? ('replace' as const), symbols: securities } : undefined,
    });
  });

/** Parameters of DELETE /v1/watchlist/groups. */
export const deleteGroup = z
  .object({ id: groupId, purge: field.optional(field.flag) })
  .transform((body): DeleteGroup => ({ id: body.id, purge: body.purge ?? false }));

/** Body of POST /v1/watchlist/pinned. */
export const pinSymbols = z
  .object({ mode: field.required(field.oneOf(PIN_MODES)), securities: members })
  .transform((body): PinSymbols => ({ mode: body.mode, symbols: body.securities }));

export function writeCreateGroup(group: CreateGroup): WireParameters {
  return defined({ name: group.name, securities: group.symbols.length === 0 ? undefined : group.symbols });
}

export function writeUpdateGroup(group: UpdateGroup): WireParameters {
  return defined({
    id: group.id,
    name: group.name,
    securities: group.members?.symbols,
    mode: group.members?.mode,
  });
}

export const writeDeleteGroup = (group: DeleteGroup): WireParameters => ({
  id: group.id,
  purge: group.purge,
});

export const writePinSymbols = (pin: PinSymbols): WireParameters => ({
  mode: pin.mode,
  securities: pin.symbols,
});

const watched = z.looseObject({
  symbol: answer.required,
  market: answer.text,
  name: answer.text,
  watched_price: answer.text,
  watched_at: answer.text,
  is_pinned: answer.flag,
});

const group = z.looseObject({ id: answer.required, name: answer.text, securities: answer.list(watched) });

export const groupsResponse = z.looseObject({ groups: answer.list(group) });

export const createGroupResponse = z.looseObject({ id: answer.required });
