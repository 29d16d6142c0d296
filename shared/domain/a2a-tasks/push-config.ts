import { checkUrl, isAllowedHost, UrlRefused } from '../../adapters/net/addresses.ts';
import { invalidAt } from '../../core/errors/errors.ts';

export const configsMax = 5;
const urlLengthMax = 2_000;
const tokenLengthMax = 1_000;
const credentialsLengthMax = 2_500;

/** The version of the protocol in which a receiver gets notifications: that of the request that asked for them. */
type PushVersion = '1.0' | '0.3';

/** Where a caller wants to be told of a task. Kept in the item of the task. */
export interface PushConfig {
  id: string;
  url: string;
  version: PushVersion;
  /** Of `Authorization`. Null without credentials. */
  scheme: 'Bearer' | 'Basic' | null;
  /** The encrypted token and credentials. Null if there are none. */
  sealed: string | null;
}

/** A config as a caller sends it. Missing members are empty. */
export interface GivenPushConfig {
  id: string;
  url: string;
  token: string;
  authentication: { scheme: string; credentials: string } | undefined;
  version: PushVersion;
}

export interface PushSecrets {
  token: string;
  credentials: string;
}

const idPattern = /^[A-Za-z0-9._~-]{1,128}$/;
const schemes = new Map([
  ['bearer', 'Bearer'],
  ['basic', 'Basic'],
] as const);

/** @throws 400 unless it can be sent. A name is resolved, and its address checked, at each attempt. */
export function checkPushConfig({ id, url, token, authentication }: GivenPushConfig): {
  scheme: PushConfig['scheme'];
} {
  if (id !== '' && !idPattern.test(id)) {
    throw invalidAt('id', 'INVALID_VALUE', 'Up to 128 letters, digits, dots, dashes, underscores and tildes');
  }
  checkReceiver(url);
  checkText('token', token, tokenLengthMax);
  if (!authentication) return { scheme: null };
  const scheme = (schemes as Map<string, 'Bearer' | 'Basic'>).get(authentication.scheme.toLowerCase());
  if (!scheme) throw invalidAt('authentication.scheme', 'INVALID_VALUE', 'Bearer and Basic are supported');
  if (authentication.credentials === '') {
    throw invalidAt('authentication.credentials', 'MISSING_REQUIRED_FIELD', 'A scheme needs credentials');
  }
  checkText('authentication.credentials', authentication.credentials, credentialsLengthMax);
  return { scheme };
}

function checkReceiver(url: string): void {
  if (url === '') throw invalidAt('url', 'MISSING_REQUIRED_FIELD', 'The address that is told is required');
  if (url.length > urlLengthMax) {
    throw invalidAt('url', 'INVALID_VALUE', `An address has at most ${urlLengthMax} characters`);
  }
  try {
    const target = checkUrl(url);
    if (target.protocol === 'https:' || isAllowedHost(target)) return;
  } catch (error) {
    if (!(error instanceof UrlRefused)) throw error;
    throw invalidAt('url', 'INVALID_VALUE', error.message);
  }
  throw invalidAt('url', 'INVALID_VALUE', 'Only https addresses are told');
}

/** The message does not repeat the value. */
function checkText(path: string, value: string, lengthMax: number): void {
  if (value.length <= lengthMax && /^[\x20-\x7e]*$/.test(value)) return;
  throw invalidAt(path, 'INVALID_VALUE', `At most ${lengthMax} printable ASCII characters`);
}
