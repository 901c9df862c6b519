import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BrokerError } from '../../broker/broker-error.ts';
import { httpOrigin, socketAddress } from '../../broker/socket/addresses.ts';
import { readYaml } from '../../config/yaml/yaml-tree.ts';
import { type Millis, millis, SECOND_MS } from '../../model/time.ts';
import { EnvironmentError } from '../broker/environment-error.ts';
import { daysLeft, expiryWarning, WARNED_DAYS } from '../credentials/active-credentials.ts';
import { dotEnv, isOpenToOthers } from '../credentials/dot-env.ts';
import { WORK_DIR } from '../storage/open-store.ts';
import { configFiles } from './check-machine.ts';
import { type Diagnosis, fault, type Installation, note } from './diagnosis.ts';

const PREFIXES = ['SLUICE', 'LONGBRIDGE', 'LONGPORT'] as const;
const SECRETS = ['APP_KEY', 'APP_SECRET', 'ACCESS_TOKEN'] as const;
const OTHERS = 0o077;
const KNOWN =
  /^(?:(?:SLUICE|LONGBRIDGE|LONGPORT)_(?:APP_KEY|APP_SECRET|ACCESS_TOKEN|HTTP_URL|QUOTE_WS_URL|TRADE_WS_URL)|SLUICE_CATALOGUE_(?:URL|TOKEN|API_KEY)|SLUICE_(?:STATE_DIR|ADMIN_TOKEN)|LONG(?:BRIDGE|PORT)_[A-Z_]+)$/;

/**
 * Checks that credentials are present, complete, of one account, readable only by their owner, and not about to
 * expire. Never prints any of them.
 */
export function checkSecrets(installation: Installation): readonly Diagnosis[] {
  const { project, environment } = installation;
  try {
    const own = dotEnv(project);
    const all = { ...own, ...environment };
    return [
      ...checkFile(project, own),
      ...checkNames(all, namedByConfigs(project)),
      ...checkCompleteness(all, project),
      ...checkAddresses(all),
      ...checkToken(all, installation.now()),
      ...checkTokenFiles(project),
    ];
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    return [
      fault('secrets', 'env-file-unreadable', error.message, 'make .env a text file that you may read'),
    ];
  }
}

function checkFile(project: string, own: Readonly<Record<string, string>>): readonly Diagnosis[] {
  const hasSecrets = SECRETS.some((secret) => PREFIXES.some((prefix) => `${prefix}_${secret}` in own));
  if (!hasSecrets) return [];
  const found: Diagnosis[] = [];
  if (isOpenToOthers(project)) {
    const message = '.env holds credentials and others on this machine may read it';
    found.push(fault('secrets', 'env-file-open', message, 'chmod 600 .env'));
  }
  const ignore = join(project, '.gitignore');
  const lines = existsSync(ignore) ? readFileSync(ignore, 'utf8').split(/\r?\n/) : [];
  if (existsSync(join(project, '.git')) && !lines.some((line) => /^\/?\.env\*?$/.test(line.trim()))) {
    const message = '.env holds credentials and git does not ignore it: the next commit may publish them';
    found.push(fault('secrets', 'env-file-not-ignored', message, 'echo .env >> .gitignore'));
  }
  return found;
}

type Variables = Readonly<Record<string, string | undefined>>;

const isSet = (all: Variables, name: string): boolean => (all[name] ?? '') !== '';

function checkNames(all: Variables, named: ReadonlySet<string>): readonly Diagnosis[] {
  return Object.keys(all)
    .filter((name) => name.startsWith('SLUICE_') && !name.startsWith('SLUICE_TEST') && !KNOWN.test(name))
    .filter((name) => !named.has(name))
    .map((name) =>
      note('secrets', 'unknown-variable', `${name} is set but not used`, 'see "Environment" in docs/cli.md'),
    );
}

/** Variables that configs of the project name: `${NAME}`, as the secrets of notifiers. */
function namedByConfigs(project: string): ReadonlySet<string> {
  const names = configFiles(project).flatMap((path) =>
    [...readFileSync(join(project, path), 'utf8').matchAll(/\$\{([A-Z][A-Z0-9_]*)\}/g)].map(
      ([, name = '']) => name,
    ),
  );
  return new Set(names);
}

/** True if a config of the project contains the broker's address. */
function configHasAddress(project: string): boolean {
  return configFiles(project).some((path) => {
    const { value } = readYaml({ path, text: readFileSync(join(project, path), 'utf8') });
    const broker = (value as { readonly broker?: { readonly http?: unknown } } | undefined)?.broker;
    return typeof broker?.http === 'string';
  });
}

function checkCompleteness(all: Variables, project: string): readonly Diagnosis[] {
  const having = PREFIXES.filter((prefix) => SECRETS.some((secret) => isSet(all, `${prefix}_${secret}`)));
  const found: Diagnosis[] = [];
  const [used] = having;
  if (used === undefined) return [];
  if (having.length > 1) {
    const message = `Credentials of two accounts may be mixed: ${having.map((prefix) => `${prefix}_...`).join(' and ')} are both set, ${used}_... is used`;
    found.push(fault('secrets', 'mixed-prefixes', message, 'remove one set from the environment and .env'));
  }
  const missing = SECRETS.filter((secret) => !isSet(all, `${used}_${secret}`));
  if (missing.length > 0) {
    const names = missing.map((secret) => `${used}_${secret}`).join(', ');
    const message = `Credentials are set in part: ${names} ${missing.length === 1 ? 'is' : 'are'} not`;
    found.push(
      fault('secrets', 'incomplete-credentials', message, 'set all three, in the environment or .env'),
    );
  }
  for (const secret of SECRETS) {
    const value = all[`${used}_${secret}`] ?? '';
    if (value !== value.trim() || /^["'<].*["'>]$/.test(value)) {
      const message = `${used}_${secret} is surrounded by spaces, quotes or brackets`;
      found.push(fault('secrets', 'padded-secret', message, 'set it to the value alone'));
    }
  }
  if (missing.length === 0 && !isSet(all, `${used}_HTTP_URL`) && !configHasAddress(project)) {
    const message = `${used}_HTTP_URL is not set and no config has "broker.http": credentials without an address are not used`;
    const fix = `set ${used}_HTTP_URL and ${used}_QUOTE_WS_URL, or "http" and "quoteWs" under "broker" in the config`;
    found.push(fault('secrets', 'no-address', message, fix));
  }
  return found;
}

function checkAddresses(all: Variables): readonly Diagnosis[] {
  const found: Diagnosis[] = [];
  const used: URL[] = [];
  for (const prefix of PREFIXES) {
    for (const [name, read] of [
      ['HTTP_URL', httpOrigin],
      ['QUOTE_WS_URL', socketAddress],
      ['TRADE_WS_URL', socketAddress],
    ] as const) {
      const value = all[`${prefix}_${name}`] ?? '';
      if (value === '') continue;
      try {
        used.push(read(value));
      } catch (error) {
        if (!(error instanceof BrokerError)) throw error;
        const fix = 'https and wss, or this machine alone';
        found.push(fault('secrets', 'bad-address', `${prefix}_${name}: ${error.message}`, fix));
      }
    }
  }
  const local = used.filter(({ hostname }) => /^(?:localhost|127\.|\[::1\])/.test(hostname)).length;
  if (local > 0 && local < used.length) {
    const message = 'Some addresses are this machine and others are not: paper and live are mixed';
    found.push(fault('secrets', 'mixed-addresses', message, 'give all addresses of one venue'));
  }
  return found;
}

/** For a token that states its expiry (a JSON Web Token), reports whether it is soon. */
function checkToken(all: Variables, now: Millis): readonly Diagnosis[] {
  const prefix = PREFIXES.find((each) => isSet(all, `${each}_ACCESS_TOKEN`));
  const end = prefix === undefined ? undefined : endIn(all[`${prefix}_ACCESS_TOKEN`] ?? '');
  if (end === undefined) return [];
  const days = daysLeft(end, now);
  if (days < 0) {
    return [fault('secrets', 'token-ended', expiryWarning(end, now), 'get a new token from the broker')];
  }
  if (days >= WARNED_DAYS[0]) return [];
  return [note('secrets', 'token-ends', expiryWarning(end, now), 'npx sluice token refresh')];
}

const JWT = /eyJ[A-Za-z0-9_-]+\.([A-Za-z0-9_-]+)\./;

function endIn(token: string): Millis | undefined {
  const payload = JWT.exec(token)?.[1];
  if (payload === undefined) return undefined;
  try {
    const claims: { readonly exp?: unknown } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims.exp === 'number' ? millis(claims.exp * SECOND_MS) : undefined;
  } catch {
    return undefined;
  }
}

function checkTokenFiles(project: string): readonly Diagnosis[] {
  const folder = join(project, WORK_DIR, 'tokens');
  if (process.platform === 'win32' || !existsSync(folder)) return [];
  const open = readdirSync(folder).filter(
    (name) => name.endsWith('.json') && (statSync(join(folder, name)).mode & OTHERS) !== 0,
  );
  if (open.length === 0) return [];
  const message = `${WORK_DIR}/tokens holds renewed tokens that others on this machine may read`;
  return [fault('secrets', 'token-file-open', message, `chmod 600 ${WORK_DIR}/tokens/*.json`)];
}
