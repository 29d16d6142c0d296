import { expect, test } from 'vitest';
import { isWide, originMatches, parseOriginRule } from '../../../../shared/domain/client-tokens/origins.ts';

test.each<[entry: string, origin: string]>([
  // An exact host, whatever the protocol and the port.
  ['example.com', 'https://example.com'],
  ['example.com', 'http://example.com'],
  ['example.com', 'https://example.com:8443'],
  ['localhost', 'http://localhost:3000'],
  ['example.com', 'capacitor://example.com'],
  ['localhost', 'capacitor://localhost'],
  // Whole origins.
  ['https://example.com', 'https://example.com'],
  ['https://example.com', 'http://example.com'],
  ['https://example.com/', 'https://example.com'],
  ['HTTPS://example.com', 'https://example.com'],
  ['chrome-extension://abcdef', 'chrome-extension://abcdef'],
  // Ports, also those that a protocol implies.
  ['example.com:8443', 'https://example.com:8443'],
  ['example.com:443', 'https://example.com'],
  ['example.com:443', 'https://example.com:443'],
  ['example.com:443', 'http://example.com:443'],
  ['example.com:80', 'http://example.com'],
  ['https://example.com:443', 'https://example.com'],
  ['example.com:0443', 'https://example.com'],
  // Spellings of a host.
  ['EXAMPLE.com', 'https://example.com'],
  ['example.com', 'https://EXAMPLE.COM'],
  ['example.com.', 'https://example.com'],
  ['example.com', 'https://example.com.'],
  ['münchen.example', 'https://xn--mnchen-3ya.example'],
  ['xn--mnchen-3ya.example', 'https://münchen.example'],
  ['MÜNCHEN.example', 'https://xn--mnchen-3ya.example'],
  ['ｅｘａｍｐｌｅ.com', 'https://example.com'],
  ['my_host', 'http://my_host:8080'],
  // Addresses.
  ['127.0.0.1', 'http://127.0.0.1:5173'],
  ['127.1', 'http://127.0.0.1'],
  ['[::1]', 'http://[::1]:3000'],
  ['[::1]:3000', 'http://[::1]:3000'],
  ['[0:0:0:0:0:0:0:1]', 'http://[::1]'],
  ['http://[2001:DB8::1]', 'https://[2001:db8::1]'],
  // Sub-domains of any depth.
  ['*.example.com', 'https://a.example.com'],
  ['*.example.com', 'https://a.b.example.com:444'],
  ['https://*.example.com', 'http://a.example.com'],
  ['*.example.com:8443', 'https://a.example.com:8443'],
  ['*.EXAMPLE.com.', 'https://a.example.com'],
  ['*.münchen.example', 'https://a.xn--mnchen-3ya.example'],
  ['*.localhost', 'http://shop.localhost:3000'],
  // Whatever it is.
  ['*', 'https://example.com'],
  ['*', 'null'],
  ['*', 'no origin'],
  ['null', 'null'],
])('%s lets pages of %s use a token', (entry, origin) => {
  expect(originMatches(['other.example', entry], origin)).toBe(true);
});

test.each<[entry: string, origin: string]>([
  ['example.com', 'https://example.org'],
  ['example.com', 'https://www.example.com'],
  ['www.example.com', 'https://example.com'],
  ['example.com', 'https://example.com.evil.example'],
  ['example.com', 'https://evilexample.com'],
  ['example.com', 'https://example.comevil'],
  ['example.com', 'https://example.com..'],
  // Ports.
  ['example.com:8443', 'https://example.com'],
  ['example.com:8443', 'https://example.com:8444'],
  ['example.com:443', 'http://example.com'],
  ['example.com:80', 'https://example.com'],
  ['localhost:80', 'capacitor://localhost'],
  ['*.example.com:8443', 'https://a.example.com'],
  // Sub-domains only.
  ['*.example.com', 'https://example.com'],
  ['*.example.com', 'https://.example.com'],
  ['*.example.com', 'https://evilexample.com'],
  ['*.example.com', 'https://a.example.com.evil.example'],
  ['*.example.com', 'https://a.example.org'],
  // What a browser does not send as an origin.
  ['example.com', 'example.com'],
  ['example.com', '//example.com'],
  ['example.com', 'https:example.com'],
  ['example.com', 'https://user@example.com'],
  ['example.com', 'https://example.com@evil.example'],
  ['evil.example', 'https://example.com@evil.example'],
  ['example.com', 'https://evil.example#example.com'],
  ['example.com', 'https://evil.example?example.com'],
  ['example.com', 'https://evil.example/example.com'],
  ['example.com', 'https://example.com/'],
  ['example.com', 'https://example.com/chat'],
  ['example.com', 'https://evil.example\\.example.com'],
  ['*.example.com', 'https://evil.example\\.example.com'],
  ['*.example.com', 'https://evil.example%2f.example.com'],
  ['example.com', ' https://example.com'],
  ['example.com', 'https://example.com '],
  ['example.com', 'https://exam ple.com'],
  ['example.com', 'https://example.com, https://evil.example'],
  ['example.com', 'https://example.com:'],
  ['example.com', 'https://example.com:0'],
  ['example.com', 'https://example.com:65536'],
  ['example.com', 'https://example.com:443x'],
  ['example.com', 'https://'],
  ['example.com', ''],
  ['*.example.com', 'https://*.example.com'],
  ['[::1]', 'http://::1'],
  ['[::1]', 'http://[::2]'],
  // No page of its own.
  ['example.com', 'null'],
  ['null', 'https://null'],
  ['null', 'NULL'],
  ['null', ''],
])('%s does not let pages of "%s" use a token', (entry, origin) => {
  expect(originMatches([entry], origin)).toBe(false);
});

test('only * lets callers without an origin use a token', () => {
  expect(originMatches(['*'], undefined)).toBe(true);
  for (const entry of ['null', 'example.com', '*.example.com']) {
    expect(originMatches([entry], undefined)).toBe(false);
  }
  expect(originMatches([], undefined)).toBe(false);
  expect(originMatches([], 'https://example.com')).toBe(false);
});

test.each([
  '',
  ' ',
  'https://',
  'https:///',
  '/',
  '//example.com',
  'example.com/chat',
  'https://example.com/chat',
  'example.com//',
  'example.com?x',
  'example.com#x',
  'user@example.com',
  'https://user:pass@example.com',
  'exa mple.com',
  ' example.com',
  'example.com\n',
  'ex*mple.com',
  '*example.com',
  'www.*.com',
  '*.*.com',
  '**',
  '*.',
  '*:443',
  'https://*',
  '*.127.0.0.1',
  '*.1',
  '*.[::1]',
  '::1',
  '[::1',
  '[fe80::1%25eth0]',
  'example.com:',
  'example.com:0',
  'example.com:65536',
  'example.com:port',
  'example.com:80:80',
  'example..com',
  'example.com..',
  '.',
  '256.256.256.256',
  'ex%61mple.com',
  'ex<ample.com',
  'example.com,example.org',
  'file:///index.html',
])('no origin can match the entry "%s"', (entry) => {
  expect(parseOriginRule(entry)).toBeUndefined();
  for (const origin of ['https://example.com', 'https://a.example.com', 'http://127.0.0.1', 'null']) {
    expect(originMatches([entry], origin)).toBe(false);
  }
});

test('an entry that hardly restricts a token is wide', () => {
  for (const entry of ['*', '*.com', 'https://*.com', '*.dev:443']) expect(isWide(entry)).toBe(true);
  for (const entry of ['null', 'com', '*.example.com', '*.localhost', 'localhost', '']) {
    expect(isWide(entry)).toBe(false);
  }
});
