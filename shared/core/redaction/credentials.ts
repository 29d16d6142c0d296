/** Names of fields that hold a credential, without `-`, `_` and case. */
const names = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'password',
  'passphrase',
  'secret',
  'secretvalue',
  'clientsecret',
  'token',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'apikey',
  'xapikey',
  'plainkey',
  'privatekey',
  'credential',
  'credentials',
  'signature',
]);

export const isCredentialName = (name: string) => names.has(name.toLowerCase().replaceAll(/[-_]/g, ''));

/** Each is linear in the length of the text: none begins within a run of the characters that it repeats. */
const patterns: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, '$1 [redacted]'],
  // Keys of this service, and tokens in JWT's compact form.
  [/\bcs_[0-9A-Za-z]{49}\b/g, 'cs_[redacted]'],
  [/\btv_([a-z]{1,20}(?:_[a-z]{1,20})?)_[0-9A-Za-z]{8,}/g, 'tv_$1_[redacted]'],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '[redacted]'],
  // Passwords and credentials in URLs.
  [/(:\/\/[^\s:/@"]*):[^\s/"]+@/g, '$1:[redacted]@'],
  [/([?&][\w-]*(?:key|token|secret|password|signature|sig)=)[^&#\s"\\]+/gi, '$1[redacted]'],
];

/** Redacts what looks like a credential in a text, by its form alone. */
export const redactCredentials = (text: string): string =>
  patterns.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
