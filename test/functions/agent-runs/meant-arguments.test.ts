import { expect, test } from 'vitest';
import { calls, createScriptedAgent, scripted, streamed } from '../../support/agents/agent-runs.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('arguments that a model wrote as texts once more reach the tool as its schema means them', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    tools: {
      runtimeTools: [
        {
          name: 'note',
          description: 'Notes',
          toolType: 'custom',
          parametersSchema: {
            type: 'object',
            properties: {
              lines: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
              text: { type: 'string' },
              more: { type: 'string' },
              order: { type: 'integer' },
            },
          },
          config: { code: 'return JSON.stringify(input)' },
        },
      ],
    },
  });
  const script = scripted(
    calls(
      ['note', { lines: '[{"n":"1"}]', text: '[1]', more: null }],
      ['note', JSON.stringify(JSON.stringify({ text: 'a' }))],
      ['note', '```json\n{"text":"b"}\n```'],
      ['note', '~~~json  \n{"text":"c"}\n~~~'],
      ['note', '```json {"text":"d"}'],
      ['note', '{"text":"e"}\n```'],
      ['note', { order: '7615917337495251231' }],
      ['note', { lines: 'none' }],
    ),
    { text: 'done' },
  );
  const events = await streamed(tenant, agent.id, script);
  const completed = events.filter(({ type }) => type === 'tool_complete');
  const byCall = Object.groupBy(completed, ({ success }) => (success ? 'done' : 'failed'));
  expect(byCall.done?.map(({ result }) => result).toSorted()).toEqual([
    '{"lines":[{"n":1}],"text":"[1]"}',
    '{"order":7615917337495251231}',
    '{"text":"a"}',
    '{"text":"b"}',
    '{"text":"c"}',
    '{"text":"d"}',
    '{"text":"e"}',
  ]);
  expect(byCall.failed).toMatchObject([{ error: expect.stringContaining('do not fit') }]);
  expect(events.find(({ type }) => type === 'tool_input_complete')).toMatchObject({
    parameters: { lines: [{ n: 1 }], text: '[1]' },
  });
});
