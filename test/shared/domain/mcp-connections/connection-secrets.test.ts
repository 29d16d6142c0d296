import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { redactKnownValues } from '../../../../shared/core/redaction/known-values.ts';
import {
  connectionOpener,
  connectionSealer,
} from '../../../../shared/domain/mcp-connections/connection-secrets.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';

const scopeOf = (tenant: string) => countingRuntime().scopeOf(tenant);
const newSecret = (bytes = 32) => randomBytes(bytes).toString('base64url');

test('tokens of any length are encrypted, and open again', async () => {
  const scope = scopeOf('user:a');
  const tokens = { accessToken: newSecret(9_000), refreshToken: newSecret(6_000) };
  const sealed = await connectionSealer(scope)('mcpconn_1', 'tokens', tokens);
  expect(sealed).not.toContain(tokens.accessToken);
  expect(await connectionOpener(scope)('mcpconn_1', 'tokens', sealed)).toEqual(tokens);
});

test('what is sealed opens only for its tenant, its connection and its part', async () => {
  const scope = scopeOf('user:a');
  const sealed = await connectionSealer(scope)('mcpconn_1', 'secret', { clientSecret: newSecret() });
  const open = connectionOpener(scope);
  await expect(open('mcpconn_2', 'secret', sealed)).rejects.toThrow('cannot be decrypted');
  await expect(open('mcpconn_1', 'tokens', sealed)).rejects.toThrow('cannot be decrypted');
  await expect(connectionOpener(scopeOf('user:b'))('mcpconn_1', 'secret', sealed)).rejects.toThrow(
    'cannot be decrypted',
  );
});

test('a changed ciphertext does not open', async () => {
  const scope = scopeOf('user:a');
  const sealed = await connectionSealer(scope)('mcpconn_1', 'secret', { clientSecret: newSecret() });
  const [key, content = ''] = sealed.split('.');
  const bytes = Buffer.from(content, 'base64');
  bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1);
  const changed = `${key}.${bytes.toString('base64')}`;
  await expect(connectionOpener(scope)('mcpconn_1', 'secret', changed)).rejects.toThrow();
});

test('the log does not show what a process has sealed or opened', async () => {
  const scope = scopeOf('user:a');
  const accessToken = newSecret();
  await connectionSealer(scope)('mcpconn_1', 'tokens', { accessToken });
  expect(redactKnownValues(`Bearer ${accessToken}`)).toBe('Bearer [secret]');
});
