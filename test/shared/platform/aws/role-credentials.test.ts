import { expect, test, vi } from 'vitest';
import { readRoleCredentials } from '../../../../shared/platform/aws/role-credentials.ts';
import { requestS3 } from '../../../../shared/platform/aws/s3.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { eventually } from '../../../support/stack/eventually.ts';

test('credentials of the environment are those of now', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'one');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', undefined);
  expect(await readRoleCredentials()).toEqual({ accessKeyId: 'one', secretAccessKey: 'secret' });
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'two');
  expect(await readRoleCredentials()).toMatchObject({ accessKeyId: 'two' });
});

test('without them, S3 is asked with those of the endpoint for containers, which are renewed when they end', async () => {
  let count = 0;
  const endpoint = await loopback((_request, response) => {
    // So short that the SDK renews them with each request.
    const Expiration = new Date(Date.now() + 60_000).toISOString();
    const one = { AccessKeyId: `key-${++count}`, SecretAccessKey: 'secret', Token: 'token', Expiration };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(one));
  });
  const authorizations: string[] = [];
  const s3 = await loopback(({ headers }, response) => {
    authorizations.push(String(headers.authorization));
    expect(headers['x-amz-security-token']).toBe('token');
    response.end();
  });
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nonexistent');
  vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', endpoint.url);
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.url);
  await requestS3('bucket', 'GET', 'one');
  expect(authorizations[0]).toContain('Credential=key-1/');
  await eventually(async () => {
    await requestS3('bucket', 'GET', 'two');
    expect(authorizations.at(-1)).not.toContain('Credential=key-1/');
  });
});
