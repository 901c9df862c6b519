import { describe, expect, it } from 'vitest';
import { brokerEnvironment } from '#src/app/broker/broker-environment.ts';
import { EnvironmentError } from '#src/app/broker/environment-error.ts';
import { exitCodeOf } from '#src/cli/exit-codes.ts';

const NAMES = ['HTTP_URL', 'QUOTE_WS_URL', 'TRADE_WS_URL', 'APP_KEY', 'APP_SECRET', 'ACCESS_TOKEN'];

/** All six variables under a prefix, each with its own name as its value. */
function all(prefix: string): Readonly<Record<string, string>> {
  return Object.fromEntries(NAMES.map((name) => [`${prefix}_${name}`, `${prefix} ${name}`]));
}

function failureOf(environment: Readonly<Record<string, string>>): EnvironmentError {
  try {
    brokerEnvironment(environment);
  } catch (error) {
    if (error instanceof EnvironmentError) return error;
  }
  throw new Error('Nothing was missing');
}

describe('addresses and credentials from the environment', () => {
  it.each(['SLUICE', 'LONGBRIDGE', 'LONGPORT'])('may all be named %s_...', (prefix) => {
    expect(brokerEnvironment(all(prefix))).toEqual({
      httpUrl: `${prefix} HTTP_URL`,
      quoteWsUrl: `${prefix} QUOTE_WS_URL`,
      tradeWsUrl: `${prefix} TRADE_WS_URL`,
      credentials: {
        appKey: `${prefix} APP_KEY`,
        appSecret: `${prefix} APP_SECRET`,
        accessToken: `${prefix} ACCESS_TOKEN`,
      },
    });
  });

  it('are taken under the first prefix that has a secret, and under no other', () => {
    expect(brokerEnvironment({ ...all('LONGPORT'), ...all('SLUICE') })).toEqual(
      brokerEnvironment(all('SLUICE')),
    );
    const { SLUICE_HTTP_URL: address = '' } = all('SLUICE');
    expect(brokerEnvironment({ ...all('LONGPORT'), SLUICE_HTTP_URL: address }).httpUrl).toBe(
      'LONGPORT HTTP_URL',
    );
  });

  it('are never mixed: a key of one prefix does not go with the token of another, nor to its address', () => {
    const environment = { ...all('LONGPORT'), SLUICE_APP_KEY: 'k', SLUICE_APP_SECRET: 's' };
    const { message } = failureOf(environment);
    expect(message).toContain(
      'SLUICE_HTTP_URL, SLUICE_QUOTE_WS_URL, SLUICE_TRADE_WS_URL, SLUICE_ACCESS_TOKEN not set',
    );
    expect(message).toContain('LONGPORT_ACCESS_TOKEN are set, but names are not mixed');
  });

  it('count as missing when they are empty, and end a command with exit code 3', () => {
    const error = failureOf({ ...all('SLUICE'), SLUICE_ACCESS_TOKEN: '' });
    expect(error.message).toMatch(
      /^Cannot find the address or the credentials of the broker: SLUICE_ACCESS_TOKEN not set/,
    );
    expect(exitCodeOf(error)).toBe(3);
  });

  it('are overridden by addresses on the command line', () => {
    const said = { httpUrl: 'a', quoteWsUrl: 'b', tradeWsUrl: 'c' };
    expect(brokerEnvironment(all('SLUICE'), said)).toMatchObject(said);
  });
});
