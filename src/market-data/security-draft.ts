import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultMargin } from '../markets/margin.ts';
import { SECURITY_KINDS, type Security, type SecurityKind } from '../model/security.ts';
import { type Market, marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { DataError } from './data-error.ts';
import { SECURITY_FILE, securityIn } from './data-folder.ts';
import { parseSecurity, writeSecurity } from './security-file.ts';

/** What a user says about a security on the command line; what is absent comes from facts known before. */
export interface SecurityDraft {
  readonly name?: string | undefined;
  readonly kind?: SecurityKind | undefined;
  readonly currency?: string | undefined;
  readonly lotSize?: number | undefined;
  readonly board?: string | undefined;
  readonly tradable?: boolean | undefined;
  /** Where the prices come from, when they are real. */
  readonly source?: string | undefined;
  readonly license?: string | undefined;
  /** How the prices were made, when they are not real. */
  readonly generated?: string | undefined;
}

/** Which flag says each fact that has no default: lots and currencies differ in Hong Kong, in the US they do not. */
function needed(market: Market): readonly (readonly [keyof SecurityDraft, flag: string])[] {
  return [
    ['name', market === 'HK' ? '--name "Tencent"' : '--name "Apple"'],
    ['kind', `--kind ${SECURITY_KINDS.join('|')}`],
    ...(market === 'US' ? [] : [['currency', '--currency HKD'] as const, ['lotSize', '--lot 100'] as const]),
  ];
}

/** What is said of a security, and where its facts lie or will lie. */
export interface FactsRequest {
  readonly symbol: SecuritySymbol;
  /** Folder of the store. */
  readonly dir: string;
  readonly draft: SecurityDraft;
  /** Changes facts that are there. */
  readonly replace: boolean;
}

/**
 * The text of a `security.json` to write, or undefined when the one that is there stays. `ask` is called for facts when
 * none are there. What is said again as it is known changes nothing. Throws DataError: `exists` when there are facts and others
 * are said without `replace`, and as `securityFrom` does.
 */
export async function plannedFacts(
  { symbol, dir, draft, replace }: FactsRequest,
  ask: () => Promise<KnownFacts | undefined>,
): Promise<string | undefined> {
  const path = join(dir, symbol, SECURITY_FILE);
  const known = existsSync(join(dir, symbol)) ? securityIn(dir, symbol) : undefined;
  if (known !== undefined && isEmptyDraft(draft)) return undefined;
  if (known !== undefined && !replace) {
    const [other] = othersSaid(draft, known);
    if (other === undefined) return undefined;
    throw new DataError({
      code: 'exists',
      problem: `Cannot write the facts of "${symbol}": there are some already, and they say otherwise: ${other}`,
      advice: 'leave out what the flags say of the security, or say --replace to change it',
      file: path,
    });
  }
  return writeSecurity(securityFrom(symbol, draft, known ?? (await ask()), path));
}

/** True when nothing is said. */
function isEmptyDraft(draft: SecurityDraft): boolean {
  return Object.values(draft).every((value) => value === undefined);
}

/** What is said otherwise than it is known, in words. */
function othersSaid(draft: SecurityDraft, { names, origin, ...known }: Security): readonly string[] {
  const facts = {
    ...known,
    name: names.en,
    source: origin.kind === 'real' ? origin.source : undefined,
    license: origin.kind === 'real' ? origin.license : undefined,
    generated: origin.kind === 'generated' ? origin.method : undefined,
  };
  const said = [
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
  return said
    .filter((fact) => draft[fact] !== undefined && draft[fact] !== facts[fact])
    .map((fact) => `${fact} is ${facts[fact] ?? 'not stated'}, not ${draft[fact]}`);
}

/** Facts known before; of a venue that replays a past nobody knows where its prices come from. */
export type KnownFacts = Omit<Security, 'origin'> & { readonly origin?: Security['origin'] | undefined };

/**
 * Makes the facts of a security out of what is known and what is said; margin factors are the market's usual ones, a
 * US security is dealt in single units for dollars, an index is not tradable, unless it is said to be otherwise. Throws DataError: `missing-facts` with the flag of every fact that is missing,
 * `bad-security` for facts that cannot be.
 */
function securityFrom(
  symbol: SecuritySymbol,
  draft: SecurityDraft,
  known: KnownFacts | undefined,
  file: string,
): Security {
  const market = marketOf(symbol);
  const missing = known === undefined ? needed(market).filter(([fact]) => draft[fact] === undefined) : [];
  const flags = missing.map(([, flag]) => flag);
  const origin = originOf(draft) ?? known?.origin;
  if (origin === undefined)
    flags.push('--source "where the prices come from" (or --generated "how they were made")');
  if (flags.length > 0) throw missingFacts(symbol, flags, file);
  const kind = draft.kind ?? known?.kind ?? 'stock';
  const margin = known?.margin ?? defaultMargin({ market, kind });
  const names =
    draft.name === undefined ? known?.names : { en: draft.name, zhCn: draft.name, zhHk: draft.name };
  const facts = {
    symbol,
    names,
    kind,
    board: draft.board ?? known?.board ?? usualBoard(symbol, kind),
    currency: draft.currency ?? known?.currency ?? (market === 'US' ? 'USD' : undefined),
    lotSize: draft.lotSize ?? known?.lotSize ?? (market === 'US' ? 1 : undefined),
    margin,
    tradable: draft.tradable ?? known?.tradable ?? kind !== 'index',
    origin,
  };
  return parseSecurity(JSON.stringify(facts), symbol, file);
}

function originOf(draft: SecurityDraft): Security['origin'] | undefined {
  if (draft.generated !== undefined) return { kind: 'generated', method: draft.generated };
  if (draft.source === undefined) return undefined;
  return { kind: 'real', source: draft.source, license: draft.license ?? 'not stated' };
}

/** @see reference: HTTP API, quote-side product codes */
function usualBoard(symbol: SecuritySymbol, kind: SecurityKind): string {
  const market = marketOf(symbol);
  if (kind === 'index') return market === 'HK' ? 'HKHS' : `${market}Sector`;
  if (kind === 'option') return `${market}Option`;
  if (market === 'HK') return kind === 'warrant' || kind === 'cbbc' ? 'HKWarrant' : 'HKEquity';
  return `${market}Main`;
}

function missingFacts(symbol: SecuritySymbol, flags: readonly string[], file: string): DataError {
  return new DataError({
    code: 'missing-facts',
    problem: `Cannot tell what "${symbol}" is: it has no security.json yet, and these facts were not given`,
    advice: `add ${flags.join(', ')}`,
    file,
  });
}
