import { expect, test } from 'vitest';
import { parseJsonAnswer, parseJsonValues } from '../../../../shared/execution/agent-loop/json-answer.ts';
import { testSandbox } from '../../../support/flows/sandbox.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, rain: { type: 'number' } },
  required: ['city'],
  additionalProperties: false,
};
const bergen = '{"city":"Bergen"}';
const read = (text: string) =>
  parseJsonAnswer(text, schema, { sandbox: testSandbox, signal: new AbortController().signal });

test.each([
  ['alone', bergen],
  ['in a fence', `\`\`\`json\n${bergen}\n\`\`\``],
  ['in a fence of tildes', `~~~json  \n${bergen}\n~~~`],
  ['in a fence whose end was cut', `\`\`\`json\n${bergen}`],
  ['in a fence between sentences', `Sure!\n\`\`\`json\n${bergen}\n\`\`\`\nAnything else?`],
  ['after thoughts', `<think>\n{"city":"Oslo"}? No.\n</think>\n\n${bergen}`],
  ['after thoughts whose beginning was cut', `Rain, so it is {"city":"Oslo"}.\n</think>\n${bergen}`],
  [
    'after a channel of thoughts',
    `<|channel|>analysis<|message|>{"a":1}<|channel|>final<|message|>${bergen}`,
  ],
  ['between sentences', `Here it is: ${bergen}. Let me know!`],
  ['after a lone quote', `It is 5" wide: ${bergen}`],
  ['after braces that are no JSON', `I used {placeholders} and [brackets]: ${bergen}`],
  ['beside another object that does not fit', `Given {"id": 1}, I say ${bergen}`],
  ['twice the same', `${bergen}\n${bergen}`],
  ['in a list of its own', `[${bergen}]`],
  ['in a text', JSON.stringify(bergen)],
  ['after thoughts of other names', `<reasoning>{"city":"Oslo"}</reasoning>${bergen}`],
  ['with null for what is optional', '{"city":"Bergen","rain":null}'],
  ['after a byte order mark', `\ufeff${bergen}`],
])('the JSON that fits is found %s', async (_name, text) => {
  expect(await read(text)).toEqual({ value: { city: 'Bergen' }, problems: [] });
});

test('the end of a thought inside of a text is a part of it', async () => {
  const value = { city: 'Bergen </think> {"city":"Oslo"}' };
  expect(await read(JSON.stringify(value))).toEqual({ value, problems: [] });
});

test.each([
  ['two that fit', `${bergen} or {"city":"Oslo"}`, /2 JSON values that fit/],
  ['none', 'It rains.', /not JSON/],
  ['one that does not fit', 'Here: {"town":"Bergen"}', /city|town/],
  ['one that is cut', 'Here: {"city":"Ber', /not JSON/],
])('%s is no answer', async (_name, text, problem) => {
  expect((await read(text)).problems.join('; ')).toMatch(problem);
});

test('a text of opening braces is read in a time that grows with its length', () => {
  const found = ['{', '[', '{"', '}', '"{'].map((piece) => parseJsonValues(piece.repeat(200_000)).length);
  expect(found).toEqual([0, 0, 0, 0, 0]);
});
