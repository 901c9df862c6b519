import { HANDSHAKE_QUERY } from '../../wire/socket-status.ts';
import { BrokerError } from '../broker-error.ts';

/** The base address for HTTP: scheme, host and port. Throws BrokerError for anything else, see `checked`. */
export function httpOrigin(text: string): URL {
  const url = checked(text, { plain: 'http:', safe: 'https:' });
  if (url.pathname !== '/' || url.search !== '') {
    throw new BrokerError(
      'bad-option',
      `Cannot use "${url.href}" as the broker's address: signatures begin at the path, want scheme, host and port only`,
      { endpoint: 'options', retryable: false },
    );
  }
  return url;
}

/** The address of a socket with the handshake's query. Throws BrokerError, see `checked`. */
export function socketAddress(text: string): URL {
  const url = checked(text, { plain: 'ws:', safe: 'wss:' });
  for (const [name, value] of Object.entries(HANDSHAKE_QUERY)) url.searchParams.set(name, value);
  return url;
}

/**
 * Secrets leave this machine only through TLS, so a plain scheme is allowed only for loopback. Credentials in an
 * address are refused, because addresses are logged. @see docs/reliability.md, S-01
 */
function checked(text: string, schemes: { readonly plain: string; readonly safe: string }): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const known = url?.protocol === schemes.plain || url?.protocol === schemes.safe;
  if (url === undefined || !known || url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new BrokerError(
      'bad-option',
      `Cannot use that as the broker's address: want "${schemes.safe}//host" without user, password and "#"`,
      { endpoint: 'options', retryable: false },
    );
  }
  if (url.protocol === schemes.plain && !isLoopback(url.hostname)) {
    throw new BrokerError(
      'unsafe-address',
      `Cannot send credentials to "${url.origin}" unencrypted: use "${schemes.safe}//", plain addresses are for this machine only`,
      { endpoint: 'options', retryable: false },
    );
  }
  return url;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
