import { expect, test, vi } from 'vitest';
import { handler } from '../../../../functions/secrets/setup-url.ts';
import { buildBaseUrl } from '../../../../shared/platform/http/base-url.ts';
import { invokeWith } from '../../../support/stack/invoke.ts';
import { tenantPrincipal } from '../../../support/stack/principals.ts';
import { newTenant } from '../../../support/stack/stack.ts';

test.each([
  ['a stage', 'abc.execute-api.eu-west-1.amazonaws.com', '/dev/v1/things/one', '/dev'],
  ['a domain of its own', 'flows.example.com', '/v1/things/one', ''],
  ['a domain with a path for this API', 'api.example.com', '/flows/v1/things/one', '/flows'],
  ['a slash at the end', 'api.example.com', '/flows/v1/things/one/', '/flows'],
])('the API’s base URL is derived behind %s', (_, domainName, path, before) => {
  vi.stubEnv('PUBLIC_URL', '');
  expect(buildBaseUrl('/v1/things/{id}', { domainName, path })).toBe(`https://${domainName}${before}`);
});

test('the configured PUBLIC_URL takes precedence', () => {
  vi.stubEnv('PUBLIC_URL', 'https://flows.example.com/');
  expect(buildBaseUrl('/v1/things', { domainName: 'elsewhere.example.com', path: '/v1/things' })).toBe(
    'https://flows.example.com',
  );
});

test('request headers cannot redirect a setup link to another host', async () => {
  vi.stubEnv('PUBLIC_URL', '');
  const authorizer = tenantPrincipal(await newTenant());
  const { body } = await invokeWith(
    handler,
    authorizer,
  )({
    httpMethod: 'POST',
    headers: {
      'content-type': 'application/json',
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'http',
      Forwarded: 'host=evil.example',
      Origin: 'https://evil.example',
      Referer: 'https://evil.example/',
    },
    body: JSON.stringify({ keys: ['KEY'] }),
    requestContext: {
      requestId: 'test',
      authorizer,
      identity: { sourceIp: '127.0.0.1' },
      domainName: 'abc.execute-api.eu-west-1.amazonaws.com',
      path: '/dev/v1/secrets/setup-url',
    } as never,
  });
  expect(JSON.parse(body).url).toMatch(
    /^https:\/\/abc\.execute-api\.eu-west-1\.amazonaws\.com\/dev\/secrets\/setup#tv_setup_/,
  );
});
