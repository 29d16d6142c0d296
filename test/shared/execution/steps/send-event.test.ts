import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { messagesPort } from '../../../../shared/adapters/messages/messages-adapter.ts';
import { findSentMessages } from '../../../support/data/outbox.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { configProblems, runStep } from './run-step.ts';
import '../../../support/suite/fresh-modules.ts';

/** Runs the step with the embedded stack's EventBridge; what it sent carries the mark. */
async function sentEvent(config: object, variables: object = {}) {
  const mark = randomUUID();
  const { output } = await runStep(
    'send-event',
    { eventType: 'order.{{ state }}', payload: { mark }, ...config },
    { variables: { state: 'paid', mark, ...variables }, ports: { messages: messagesPort('user:ada') } },
  );
  return { output, sent: await findSentMessages(mark), mark };
}

test('puts the payload on the bus, with the tenant', async () => {
  const payload = { mark: '{{ mark }}', items: '{{ items }}', note: 'is {{ state }}', n: 1 };
  const { output, sent, mark } = await sentEvent({ payload }, { items: [1, { a: null }] });
  expect(output).toEqual({ eventId: expect.stringMatching(/^[\w-]+$/) });
  expect(sent).toEqual([
    {
      bus: 'agent-flow-service',
      source: 'agent-flow-service',
      detailType: 'order.paid',
      detail: { tenant: 'user:ada', payload: { mark, items: [1, { a: null }], note: 'is paid', n: 1 } },
    },
  ]);
});

test('a payload may be any JSON, or omitted', async () => {
  expect((await sentEvent({ payload: ['{{ mark }}'] })).sent).toMatchObject([
    { detail: { payload: [expect.any(String)] } },
  ]);
  expect((await sentEvent({ eventType: '{{ mark }}', payload: undefined })).sent).toMatchObject([
    { detail: { payload: {} } },
  ]);
});

test.each([
  [{ eventType: '{{ gone }}' }, 'eventType must have 1 to 128 characters'],
  [{ eventType: '{{ long }}' }, 'eventType must have 1 to 128 characters'],
  [
    { payload: '{{ huge }}' },
    expect.stringMatching(/^An event has at most 256 KB with its type; this one has \d+ bytes$/),
  ],
])('%j fails permanently and sends nothing', async (config, message) => {
  const variables = { long: 'x'.repeat(129), huge: { text: 'é'.repeat(131_072) } };
  expect(await stepFailure(sentEvent(config, variables))).toMatchObject({ message, retryable: false });
});

test.each([
  [{}, 'eventType: Invalid input: expected string, received undefined'],
  [{ eventType: '' }, 'eventType: Too small: expected string to have >=1 characters'],
  [{ eventType: 't', payload: { a: ['{{ b'] } }, expect.stringMatching(/^payload.a.0: /)],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('send-event', config)).toEqual([problem]);
});
