import { expect, test } from 'vitest';
import { isAnsweredFailure } from '../../../../../../console/src/screens/products/requests/surface-call.ts';

test.each([
  ['a run that failed', { success: false, status: 'failed', error: 'No' }],
  ['an error of JSON-RPC', { jsonrpc: '2.0', id: 1, error: { code: -32_602, message: 'No' } }],
  ['a tool of MCP', { jsonrpc: '2.0', id: 1, result: { isError: true, content: [] } }],
  ['a task of A2A', { jsonrpc: '2.0', id: 1, result: { task: { status: { state: 'TASK_STATE_FAILED' } } } }],
  ['an earlier task of A2A', { jsonrpc: '2.0', id: 1, result: { status: { state: 'failed' } } }],
])('a response that says so has failed: %s', (_, answer) => {
  expect(isAnsweredFailure(answer)).toBe(true);
});

test.each([
  ['a run', { success: true, output: 'failed' }],
  ['a tool of MCP', { jsonrpc: '2.0', id: 1, result: { content: [] } }],
  [
    'a task of A2A',
    { jsonrpc: '2.0', id: 1, result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } },
  ],
  ['text', 'failed'],
  ['nothing', null],
])('other responses have not: %s', (_, answer) => {
  expect(isAnsweredFailure(answer)).toBe(false);
});
