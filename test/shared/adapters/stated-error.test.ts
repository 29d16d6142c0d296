import { expect, test } from 'vitest';
import { readStatedError } from '../../../shared/adapters/stated-error.ts';

const words = 'The model crow is not loaded';

test.each([
  [
    'OpenAI',
    { error: { message: words, type: 'invalid_request_error', code: 'model_not_found', param: 'model' } },
    { words, code: 'model_not_found', param: 'model' },
  ],
  [
    'Anthropic',
    { type: 'error', error: { type: 'not_found_error', message: words } },
    { words, code: 'not_found_error' },
  ],
  ['Gemini', { error: { code: 404, message: words, status: 'NOT_FOUND' } }, { words, code: '404' }],
  ['Gemini, as a list', [{ error: { code: 400, message: words } }], { words, code: '400' }],
  ['TGI and LM Studio', { error: words, error_type: 'validation' }, { words }],
  ['FastAPI', { detail: words }, { words }],
  [
    'FastAPI, of a body',
    { detail: [{ loc: ['body', 'model'], msg: words, type: 'value_error' }] },
    { words, code: 'value_error', param: 'model' },
  ],
  ['vLLM', { object: 'error', message: words, code: 40401, param: null }, { words, code: '40401' }],
  ['API Management', { statusCode: 400, message: words }, { words }],
  ['RFC 9457', { type: 'about:blank', title: 'Bad request', status: 400, detail: words }, { words }],
  ['OAuth', { error: 'invalid_request', error_description: words }, { words, code: 'invalid_request' }],
  [
    'errors inside of a message',
    { message: JSON.stringify({ error: { message: words } }) },
    { words: expect.stringContaining(words) },
  ],
  [
    'several',
    { errors: [{ message: words }, { message: 'and no other' }] },
    { words: `${words}; and no other` },
  ],
])('%s', (_name, body, expected) => {
  expect(readStatedError(JSON.stringify(body))).toMatchObject(expected);
});

test.each([
  ['plain text', words, words],
  ['a page', `<html><head><style>b{}</style></head><body><h1>${words}</h1></body></html>`, words],
  ['a text of JSON', JSON.stringify(words), words],
  ['nothing', '', undefined],
])('%s', (_name, body, expected) => {
  expect(readStatedError(body).words).toBe(expected);
});
