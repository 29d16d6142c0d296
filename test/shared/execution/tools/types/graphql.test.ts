import { expect, test } from 'vitest';
import { html, jsonWebAnswer, type WebAnswer, web } from '../../../../support/servers/web.ts';
import { previewTool, runTool, stepFailureMessage } from '../run-tool.ts';

const query = 'query City($name: String!) { city(name: $name) { size } }';

async function run(answer: WebAnswer, config: object = {}) {
  const { url, asked } = await web(() => answer);
  const running = runTool({ toolType: 'graphql', config: { url, query, ...config } }, { name: 'Oslo' });
  return { running, asked };
}

test('the arguments are the variables', async () => {
  const { running, asked } = await run(jsonWebAnswer({ data: { city: { size: 7 } } }), {
    operationName: 'City',
  });
  expect(await running).toEqual({ data: { city: { size: 7 } } });
  expect(asked).toMatchObject([{ method: 'POST', headers: { 'content-type': 'application/json' } }]);
  expect(asked[0]?.headers.accept).toContain('application/graphql-response+json');
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
    query,
    operationName: 'City',
    variables: { name: 'Oslo' },
  });
});

test('variables can be mapped', async () => {
  const config = {
    url: 'https://a.example/graphql',
    query,
    variables: { name: '{{ name }}', all: '{{ input }}' },
  };
  const { body } = (await previewTool({ toolType: 'graphql', config }, { name: 'Oslo' })) as { body: string };
  expect(JSON.parse(body).variables).toEqual({ name: 'Oslo', all: { name: 'Oslo' } });
});

test('errors with data are part of the result', async () => {
  const errors = [{ message: 'No size', path: ['city', 'size'] }];
  const { running } = await run(jsonWebAnswer({ data: { city: { size: null } }, errors }));
  expect(await running).toEqual({ data: { city: { size: null } }, errors });
});

test.each([
  [
    jsonWebAnswer({ errors: [{ message: 'No such field' }, { message: 'Second' }] }),
    'errors: No such field; Second',
  ],
  [jsonWebAnswer({ data: null, errors: Array(9).fill({ message: 'x' }) }), 'x; x; x; x; x; 4 more'],
  [jsonWebAnswer({ errors: [{ message: 'Not allowed' }] }, { status: 403 }), 'Not allowed'],
  [html('<h1>Login</h1>'), 'did not answer with a GraphQL response'],
  [html('<h1>Down</h1>', { status: 503 }), 'answered 503'],
  [jsonWebAnswer({ data: 1, errors: [] }), 'did not answer with a GraphQL response'],
])('a response without data is a failure: %#', async (answer, message) => {
  expect(await stepFailureMessage((await run(answer)).running)).toContain(message);
});
