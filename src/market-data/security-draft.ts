import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defaultMargin } from '../markets/margin.ts';
import { marketRecord } from '../markets/market-records.ts';
import { SECURITY_KINDS, type Security, type SecurityKind } from '../model/security.ts';
import { type Market, marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { DataError } from './data-error.ts';
import { SECURITY_FILE, securityIn } from './data-folder.ts';
import { parseSecurity, writeSecurity } from './security-file.ts';

/** Facts of a security from the command line; absent ones are taken from known facts. */
export interface SecurityDraft {
  readonly name?: string | undefined;
  readonly kind?: SecurityKind | undefined;
  readonly currency?: string | undefined;
  readonly lotSize?: number | undefined;
  readonly board?: string | undefined;
  readonly tradable?: boolean | undefined;
  /** Source of real prices. */
  readonly source?: string | undefined;
  readonly license?: string | undefined;
  /** Method that generated prices. */
  readonly generated?: string | undefined;
}

/** Mainland China has no market record, because its calendar is not included. */
const MAINLAND = { currency: 'CNY', lotSize: 100 };

/** Returns a market's usual currency and lot size; undefined for an unknown market. */
function usualOf(market: Market): { readonly currency: string; readonly lotSize: number } | undefined {
  const record = marketRecord(market);
  if (record !== undefined) return { currency: record.currency, lotSize: record.lots.size };
  return market === 'SH' || market === 'SZ' ? MAINLAND : undefined;
}

const FLAGS = [
  ['name', '--name'],
  ['kind', '--kind'],
  ['currency', '--currency'],
  ['lotSize', '--lot'],
  ['source', '--source'],
] as const;
type AssumedFact = (typeof FLAGS)[number][0];

export interface PlannedFacts {
  readonly text: string;
  readonly security: Security;
  readonly assumed: readonly string[];
}

export interface FactsRequest {
  readonly symbol: SecuritySymbol;
  readonly dir: string;
  readonly draft: SecurityDraft;
  readonly replace: boolean;
  /** File that the bars come from; if given, missing facts default to the market's usual ones. */
  readonly file?: string | undefined;
}

/**
 * Returns the `security.json` to write, or undefined to keep the existing one. Calls `ask` for facts if there are
 * none. Throws DataError: `exists` if stated facts differ from known ones without `replace`; also as `securityFrom`.
 */
export async function plannedFacts(
  { symbol, dir, draft, replace, file }: FactsRequest,
  ask: () => Promise<KnownFacts | undefined>,
): Promise<PlannedFacts | undefined> {
  const path = join(dir, symbol, SECURITY_FILE);
  const known = existsSync(join(dir, symbol)) ? securityIn(dir, symbol) : undefined;
  if (known !== undefined && isEmptyDraft(draft)) return undefined;
  if (known !== undefined && !replace) {
    const [other] = otherFactsText(draft, known);
    if (other === undefined) return undefined;
    throw new DataError({
      code: 'exists',
      problem: `Cannot write the facts of "${symbol}": existing facts differ: ${other}`,
      advice: 'omit the flags about the security, or use --replace to change its facts',
      file: path,
    });
  }
  const facts = known ?? (await ask());
  const assumed = facts === undefined && file !== undefined ? assumedFacts(symbol, draft, file) : {};
  const security = securityFrom(symbol, { ...omitUndefined(draft), assumed }, facts, path);
  const flags = FLAGS.flatMap(([fact, flag]) => (fact in assumed ? [flag] : []));
  return { text: writeSecurity(security), security, assumed: flags };
}

type AssumedFacts = Pick<SecurityDraft, AssumedFact>;

/** Returns the market's usual facts for those not stated; no currency if the market is unknown. */
function assumedFacts(symbol: SecuritySymbol, draft: SecurityDraft, file: string): AssumedFacts {
  const usual = usualOf(marketOf(symbol));
  const facts: AssumedFacts = {
    name: symbol,
    kind: 'stock',
    ...(usual === undefined ? {} : { currency: usual.currency }),
    lotSize: usual?.lotSize ?? 1,
    source: basename(file),
  };
  const isStated = (fact: AssumedFact): boolean =>
    draft[fact] !== undefined || (fact === 'source' && draft.generated !== undefined);
  return Object.fromEntries(
    Object.entries(facts).filter(([fact]) => !isStated(fact as AssumedFact)),
  ) as AssumedFacts;
}

function omitUndefined(draft: SecurityDraft): SecurityDraft {
  return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
}

function isEmptyDraft(draft: SecurityDraft): boolean {
  return Object.values(draft).every((value) => value === undefined);
}

function otherFactsText(draft: SecurityDraft, { names, origin, ...known }: Security): readonly string[] {
  const facts = {
    ...known,
    name: names.en,
    source: origin.kind === 'generated' ? undefined : origin.source,
    license: origin.kind === 'real' ? origin.license : undefined,
    generated: origin.kind === 'generated' ? origin.method : undefined,
  };
  const sentences = [
    'name',
    'kind',
    'currency',
    'lotSize',
    'board',
    'tradable',
    'source',
    'license',
    'generated',
  ] as const;
  return sentences
    .filter((fact) => draft[fact] !== undefined && draft[fact] !== facts[fact])
    .map((fact) => `${fact} is ${facts[fact] ?? 'not stated'}, not ${draft[fact]}`);
}

/** Known facts; without an origin if the venue does not state where its prices come from. */
export type KnownFacts = Omit<Security, 'origin'> & { readonly origin?: Security['origin'] | undefined };

/**
 * Merges known and stated facts. Defaults: the market's usual margin factors, currency and lot size (if uniform), and
 * `tradable` except for an index. Throws DataError: `missing-facts` with the flag of every missing fact,
 * `bad-security` for invalid facts.
 */
function securityFrom(
  symbol: SecuritySymbol,
  draft: SecurityDraft & { readonly assumed: AssumedFacts },
  known: KnownFacts | undefined,
  file: string,
): Security {
  const market = marketOf(symbol);
  const { assumed } = draft;
  const { name, kind, currency, lotSize } = { ...assumed, ...draft };
  const usual = usualOf(market);
  const record = marketRecord(market);
  const origin = originOf(draft) ?? known?.origin;
  const facts = {
    names: name === undefined ? known?.names : { en: name, zhCn: name, zhHk: name },
    kind: kind ?? known?.kind,
    currency: currency ?? known?.currency ?? (record?.isUniform === true ? usual?.currency : undefined),
    lotSize: lotSize ?? known?.lotSize ?? (record?.isUniform === true ? usual?.lotSize : undefined),
    origin:
      origin ?? (assumed.source === undefined ? undefined : { kind: 'unknown', source: assumed.source }),
  };
  const flags = [
    ...(facts.names === undefined ? [`--name "${record?.exampleName ?? 'Apple'}"`] : []),
    ...(facts.kind === undefined ? [`--kind ${SECURITY_KINDS.join('|')}`] : []),
    ...(facts.currency === undefined ? [`--currency ${usual?.currency ?? 'USD'}`] : []),
    ...(facts.lotSize === undefined ? ['--lot 100'] : []),
    ...(facts.origin === undefined
      ? ['--source "where the prices come from" (or --generated "how they were made")']
      : []),
  ];
  if (flags.length > 0 || facts.kind === undefined) throw missingFacts(symbol, flags, file);
  const all = {
    symbol,
    ...facts,
    board: draft.board ?? known?.board ?? usualBoard(symbol, facts.kind),
    margin: known?.margin ?? defaultMargin({ market, kind: facts.kind }),
    tradable: draft.tradable ?? known?.tradable ?? facts.kind !== 'index',
  };
  return parseSecurity(JSON.stringify(all), symbol, file);
}

function originOf(draft: SecurityDraft): Security['origin'] | undefined {
  if (draft.generated !== undefined) return { kind: 'generated', method: draft.generated };
  if (draft.source === undefined) return undefined;
  return { kind: 'real', source: draft.source, license: draft.license ?? 'not stated' };
}

/** Returns the usual board. @see https://open.longbridge.com/docs, "Quote objects" */
function usualBoard(symbol: SecuritySymbol, kind: SecurityKind): string {
  const market = marketOf(symbol);
  if (kind === 'option') return `${market}Option`;
  return marketRecord(market)?.board(kind) ?? (kind === 'index' ? `${market}Sector` : `${market}Main`);
}

function missingFacts(symbol: SecuritySymbol, flags: readonly string[], file: string): DataError {
  return new DataError({
    code: 'missing-facts',
    problem: `Cannot import "${symbol}": it has no security.json yet, and these facts are missing`,
    advice: `add ${flags.join(', ')}`,
    file,
  });
}
