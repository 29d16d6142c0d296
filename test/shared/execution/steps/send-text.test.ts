import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { messagesPort } from '../../../../shared/adapters/messages/messages-adapter.ts';
import { findSentMessages } from '../../../support/data/outbox.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { configProblems, runStep } from './run-step.ts';

const variables = {
  phone: '+49 (170) 123-4567',
  name: 'Acme',
  long: 'x'.repeat(1_601),
  evil: '+1555123\nX: y',
};

/** Runs the step with the embedded stack's SNS; what it sent carries the mark. */
async function texted(config: object) {
  const mark = randomUUID();
  const { output } = await runStep(
    'send-text',
    { to: '+491701234567', message: `Hello ${mark}`, ...config },
    { variables: { ...variables, mark }, ports: { messages: messagesPort('user:ada') } },
  );
  return { output, sent: await findSentMessages(mark), mark };
}

test('sends the rendered message to the number without separators', async () => {
  const { output, sent, mark } = await texted({
    from: '{{ name }}',
    to: '{{ phone }}',
    message: 'Grüße von {{ name }} & <Co> {{ mark }}',
  });
  expect(output).toEqual({ messageId: expect.stringMatching(/^[\w-]+$/) });
  expect(sent).toEqual([{ from: 'Acme', to: '+491701234567', message: `Grüße von Acme & <Co> ${mark}` }]);
});

test('sends under a number of the account', async () => {
  expect((await texted({ from: '+1 555 123 4567' })).sent).toMatchObject([{ from: '+15551234567' }]);
});

test.each([
  [{ to: '{{ gone }}' }, /^to must be a phone number in international form/],
  [{ to: '{{ name }}' }, /^to must be/],
  [{ to: '{{ evil }}' }, /^to must be/],
  [{ from: '{{ gone }}' }, /^from must be a phone number like .* or a name/],
  [{ message: '{{ gone }}' }, /^message must have 1 to 1600 characters; it has 0$/],
  [{ message: '{{ long }}' }, /^message must have 1 to 1600 characters; it has 1601$/],
])('%j fails permanently and sends nothing', async (config, message) => {
  const failure = await stepFailure(texted(config));
  expect(failure).toMatchObject({ message: expect.stringMatching(message), retryable: false });
});

const valid = { to: '+491701234567', message: 'm' };
test.each([
  [{ ...valid, to: '01701234567' }, expect.stringMatching(/^to: Expected a phone number/)],
  [{ ...valid, to: '+49170123456789012' }, expect.stringMatching(/^to: Expected a phone number/)],
  [{ ...valid, from: 'much too long a name' }, expect.stringMatching(/^from: Expected a phone number/)],
  [{ ...valid, from: '12345' }, expect.stringMatching(/^from: Expected a phone number/)],
  [{ to: valid.to }, 'message: Invalid input: expected string, received undefined'],
  [{ ...valid, message: '{{ a' }, expect.stringMatching(/^message: /)],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('send-text', config)).toEqual([problem]);
});
