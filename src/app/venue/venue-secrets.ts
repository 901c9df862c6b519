import { mintKey } from '../../catalogue/key.ts';
import type { CatalogueStore } from '../../catalogue/store.ts';
import type { Random } from '../../ports/random.ts';
import type { RefreshedToken } from '../../venue/access/credential-store.ts';
import type { VenueState } from '../../venue/market/state-file.ts';
import type { Credentials } from '../../wire/signature.ts';

/** An account's id and its credentials. */
export interface AccountSecrets extends Credentials {
  readonly id: string;
}

/** Secrets of interface B: the token of the bearer scheme, and the API key. */
export interface CatalogueSecrets {
  readonly catalogueToken: string;
  readonly catalogueApiKey: string;
}

const ACCOUNTS_FACT = 'accounts';
const CATALOGUE_FACT = 'catalogue';
const ADMIN_FACT = 'admin';
const ADMIN_TOKEN_BYTES = 24;

/** Test credentials, recognisable as such by their text; those of the state file, if it has any. */
export function accountSecrets(
  ids: readonly string[],
  random: Random,
  state: VenueState | undefined,
): readonly AccountSecrets[] {
  return remembered(state, ACCOUNTS_FACT, () => ids.map((id) => ({ id, ...mintCredentials(random) })));
}

/** The same with the current tokens of the accounts: a renewed one replaces its predecessor, which is invalid. */
export function withRenewedTokens(
  accounts: readonly AccountSecrets[],
  state: VenueState | undefined,
): readonly AccountSecrets[] {
  const newest = new Map<string, string>();
  for (const { kind, body } of state?.records() ?? []) {
    if (kind !== 'token') continue;
    const { oldToken, token } = JSON.parse(body) as RefreshedToken;
    const [first] = [...newest].find(([, renewed]) => renewed === oldToken) ?? [oldToken];
    newest.set(first, token);
  }
  return accounts.map((account) => ({
    ...account,
    accessToken: newest.get(account.accessToken) ?? account.accessToken,
  }));
}

/** Keys of the venue's catalogue, added to its store if they are new. */
export function catalogueSecrets(
  store: CatalogueStore,
  random: Random,
  state: VenueState | undefined,
): CatalogueSecrets {
  return remembered(state, CATALOGUE_FACT, () => {
    const terms = { principal: 'venue', mayWrite: true, expiresAt: undefined } as const;
    const bearer = mintKey({ ...terms, scheme: 'bearer' }, random);
    const apiKey = mintKey({ ...terms, scheme: 'api-key' }, random);
    store.addKey(bearer.key);
    store.addKey(apiKey.key);
    return { catalogueToken: bearer.secret, catalogueApiKey: apiKey.secret };
  });
}

/** Token of the admin port; that of the state file, if it has one. */
export function adminSecret(random: Random, state: VenueState | undefined): string {
  return remembered(
    state,
    ADMIN_FACT,
    () => `admin_${Buffer.from(random.bytes(ADMIN_TOKEN_BYTES)).toString('hex')}`,
  );
}

function remembered<Secrets>(state: VenueState | undefined, name: string, make: () => Secrets): Secrets {
  const known = state?.fact(name);
  if (known !== undefined) return JSON.parse(known) as Secrets;
  const made = make();
  state?.setFact(name, JSON.stringify(made));
  return made;
}

function mintCredentials(random: Random): Credentials {
  const text = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex');
  return {
    appKey: `ak_paper_${text(8)}`,
    appSecret: `as_paper_${text(24)}`,
    accessToken: `at_paper_${text(24)}`,
  };
}
