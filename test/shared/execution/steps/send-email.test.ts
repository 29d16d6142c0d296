import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { messagesPort } from '../../../../shared/adapters/messages/messages-adapter.ts';
import { findSentMessages } from '../../../support/data/outbox.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { configProblems, runStep } from './run-step.ts';

/** Runs the step with the embedded stack's SES; what it sent carries the mark in its subject. */
async function emailed(config: object, variables: object = {}) {
  const mark = randomUUID();
  const email = { from: 'shop@example.com', to: 'ada@example.com', subject: 'Hi', text: 'Body', ...config };
  const { output } = await runStep(
    'send-email',
    { ...email, subject: `${email.subject} ${mark}` },
    { variables: { ...variables }, ports: { messages: messagesPort('user:ada') } },
  );
  return { output, sent: await findSentMessages(mark), mark };
}

test('sends the rendered email', async () => {
  const { output, sent, mark } = await emailed(
    {
      from: 'Shop <shop@example.com>',
      to: '{{ user.mail }}, Bob <bob@example.com>',
      subject: 'For {{ user.name }}',
      html: '<p>{{ user.name }}</p>',
      text: 'Dear {{ user.name }}',
    },
    { user: { name: 'Zoë', mail: 'zoe@example.com' } },
  );
  expect(output).toEqual({ messageId: expect.stringMatching(/^[\w-]+$/) });
  expect(sent).toEqual([
    {
      from: '"Shop" <shop@example.com>',
      to: ['zoe@example.com', '"Bob" <bob@example.com>'],
      subject: `For Zoë ${mark}`,
      html: '<p>Zoë</p>',
      text: 'Dear Zoë',
    },
  ]);
});

test.each([
  [
    ['a@example.com', '{{ b }}'],
    ['a@example.com', 'b@example.com'],
  ],
  ['{{ list }}', ['c@example.com', 'd@example.com', 'e@example.com']],
])('accepts %j as recipients', async (to, expected) => {
  const list = ['c@example.com', 'd@example.com, e@example.com'];
  const { sent } = await emailed({ to }, { b: 'b@example.com', list });
  expect(sent).toMatchObject([{ to: expected }]);
});

const many = Array.from({ length: 51 }, (_, n) => `a${n}@example.com`);
test.each([
  [{ from: '{{ two }}' }, 'from must be one email address'],
  [{ from: '{{ gone }}' }, 'from must be one email address'],
  [{ to: '{{ gone }}' }, 'to must be an email address or a list of email addresses'],
  [{ to: '{{ number }}' }, 'to must be an email address or a list of email addresses'],
  [{ to: 'x{{ gone }}' }, 'to: "x" is not an email address'],
  [{ to: '{{ many }}' }, 'An email has at most 50 recipients; to has 51'],
  [{ to: '{{ smuggled }}' }, 'to: An address must not contain line breaks or other control characters'],
  [{ from: '{{ smuggled }}' }, 'from: An address must not contain line breaks or other control characters'],
  [{ subject: '{{ smuggled }}' }, 'subject must be one line of 1 to 998 characters'],
  [{ subject: '{{ long }}' }, 'subject must be one line of 1 to 998 characters'],
  [{ text: ' {{ gone }}' }, 'The email has no body: html and text are both blank'],
  [
    { from: 'shop@unverified.invalid' },
    expect.stringMatching(/^The email was rejected: Email address is not verified.*shop@unverified.invalid$/),
  ],
])('%j fails permanently and sends nothing', async (config, message) => {
  const variables = {
    two: 'a@example.com, b@example.com',
    number: 5,
    many,
    long: 'x'.repeat(1_000),
    smuggled: 'a@example.com\r\nBcc: eve@example.com',
  };
  expect(await stepFailure(emailed(config, variables))).toMatchObject({ message, retryable: false });
});

const valid = { from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' };
test.each([
  [{ ...valid, from: 'nobody' }, 'from: "nobody" is not an email address'],
  [{ ...valid, to: 'b@example.com, nobody' }, 'to: "nobody" is not an email address'],
  [{ ...valid, to: ['b@example.com', 'b\n@example.com'] }, expect.stringMatching(/^to\.1: .*line breaks/)],
  [{ ...valid, to: many }, 'to: Expected an email address, or a list of 1 to 50'],
  [{ ...valid, to: ' , ' }, 'to: Expected an email address'],
  [{ ...valid, text: undefined }, 'html: Required: expected a body in html, text or both'],
  [{ ...valid, html: '{% if %}' }, expect.stringMatching(/^html: /)],
  [{ ...valid, cc: 'c@example.com' }, ': Unrecognized key: "cc"'],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('send-email', config)).toEqual([problem]);
});
