import { expect, test } from 'vitest';
import { createRouteMatcher } from '../../../../infra/local/gateway/routes.ts';

const routes = [
  { method: 'GET', path: '/v1/flows' },
  { method: 'GET', path: '/v1/flows/{id}' },
  { method: 'GET', path: '/v1/flows/search' },
  { method: 'POST', path: '/v1/flows/{id}/publish' },
  { method: 'GET', path: '/v1/{group}/search/recent' },
  { method: 'GET', path: '/docs' },
  { method: 'GET', path: '/docs/{proxy+}' },
  { method: 'GET', path: '/docs/{part}/contents' },
];
const match = createRouteMatcher(routes);

test.each([
  ['GET', '/v1/flows', '/v1/flows', {}],
  ['GET', '/v1/flows/', '/v1/flows', {}],
  ['GET', '/v1/flows/a%2Fb', '/v1/flows/{id}', { id: 'a%2Fb' }],
  ['GET', '/v1/flows/search', '/v1/flows/search', {}],
  ['POST', '/v1/flows/7/publish', '/v1/flows/{id}/publish', { id: '7' }],
  ['GET', '/v1/flows/search/recent', '/v1/{group}/search/recent', { group: 'flows' }],
  ['GET', '/docs/', '/docs', {}],
  ['GET', '/docs/a.js', '/docs/{proxy+}', { proxy: 'a.js' }],
  ['GET', '/docs/a/b%2Fc', '/docs/{proxy+}', { proxy: 'a/b%2Fc' }],
  ['GET', '/docs/a/contents', '/docs/{part}/contents', { part: 'a' }],
  ['GET', '/docs/a/contents/b', '/docs/{proxy+}', { proxy: 'a/contents/b' }],
])('%s %s matches %s', (method, path, expected, pathParameters) => {
  expect(match(method, path)).toEqual({
    route: expect.objectContaining({ path: expected }),
    pathParameters,
  });
});

test.each([
  ['GET', '/'],
  ['GET', '//v1/flows'],
  ['GET', '/v1/flows//publish'],
  ['DELETE', '/v1/flows/7'],
  ['POST', '/docs/a.js'],
  ['GET', '/v1/flows/7/publish'],
  ['GET', '/v1/flows/7/publish/more'],
])('%s %s matches no route', (method, path) => {
  expect(match(method, path)).toBeUndefined();
});
