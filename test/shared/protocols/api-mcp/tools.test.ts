import { expect, test } from 'vitest';
import { callApiTool } from '../../../../shared/protocols/api-mcp/tools.ts';

const operation = {
  id: 'things.list',
  operationId: 'things.list',
  method: 'GET',
  path: '/v1/things',
  summary: '',
  description: '',
  destructive: false,
  'x-destructive': false,
  parameters: [],
  responses: {},
};
const operations = { byId: new Map([[operation.id, operation]]), schemas: {}, search: () => [] };
const call = (send: (signal: AbortSignal) => Promise<never>, signal: AbortSignal) =>
  callApiTool(
    { operations, api: { send: (_request, given) => send(given) } },
    'call_operation',
    { id: 'things.list' },
    signal,
  );

test('a call that takes too long is a result that says that it may go on', async () => {
  const result = await call(
    async (signal) => {
      throw signal.reason;
    },
    AbortSignal.abort(new Error('too long')),
  );
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('may go on') }] });
});

test('a call that fails for another reason is no result', async () => {
  const broken = async () => {
    throw new Error('no network');
  };
  await expect(call(broken, new AbortController().signal)).rejects.toThrow('no network');
});
