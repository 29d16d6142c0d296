import { expect, test } from 'vitest';
import { isCredentialName, redactCredentials } from '../../../../shared/core/redaction/credentials.ts';
import { expectLinear } from '../../../support/linear.ts';

test.each([
  ['Authorization: Bearer abc.def-123_456', 'Authorization: Bearer [redacted]'],
  [`the key tv_live_${'a1'.repeat(24)}b failed`, 'the key tv_live_[redacted] failed'],
  [`/v1/callbacks/tv_callback_${'a1'.repeat(20)}`, '/v1/callbacks/tv_callback_[redacted]'],
  ['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln expired', '[redacted] expired'],
  ['postgres://ada:pa55word@db.example.com/x', 'postgres://ada:[redacted]@db.example.com/x'],
  ['https://a.example/?x=1&api_key=abc123&y=2', 'https://a.example/?x=1&api_key=[redacted]&y=2'],
  ['Authorization: Basic YWRhOnBhNTV3b3Jk', 'Authorization: Basic [redacted]'],
  ['https://ada:pa@55@db.example.com/x', 'https://ada:[redacted]@db.example.com/x'],
  ['?client_secret=abc&refresh_token=def', '?client_secret=[redacted]&refresh_token=[redacted]'],
  ['https://s3.example/o?X-Amz-Signature=abc', 'https://s3.example/o?X-Amz-Signature=[redacted]'],
])('%j is logged as %j', (text, logged) => {
  expect(redactCredentials(text)).toBe(logged);
});

test.each(['a flow without secrets', 'https://example.com:8443/a?page=2', 'Bearer tokens expire'])(
  '%j is logged unchanged',
  (text) => {
    expect(redactCredentials(text)).toBe(text);
  },
);

test.each(['authorization', 'X-Api-Key', 'plainKey', 'client_secret', 'Set-Cookie', 'password'])(
  'a field %s holds a credential',
  (name) => expect(isCredentialName(name)).toBe(true),
);

test.each(['keyId', 'key', 'targetId', 'secretId', 'tokens'])('a field %s holds no credential', (name) =>
  expect(isCredentialName(name)).toBe(false),
);

test.each(['a.', 'eyJaaaaaaaa-', 'eyJaaaaaaaa.', '://a:b', '?key-', 'Bearer  ', 'tv_live_'])(
  'a long text of %j is read in linear time',
  (part) => expectLinear(redactCredentials, (size) => part.repeat(size / part.length), 12_000),
);
