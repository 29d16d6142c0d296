import { randomUUID } from 'node:crypto';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  BadRequestException,
  GetAccountCommand,
  MessageRejected,
  SESv2Client,
  SendEmailCommand,
} from '@aws-sdk/client-sesv2';
import { InvalidParameterException, PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { expect, test } from 'vitest';
import { openOutbox } from '../../../../infra/local/messages/outbox.ts';
import { findSentMessages } from '../../../support/data/outbox.ts';
import { call } from '../../../support/stack/stack.ts';

const email = (changes: { from?: string; to?: string[]; subject?: string; text?: string } = {}) => {
  const { from = 'a@example.com', to = ['b@example.com'], subject = 's', text = 't' } = changes;
  return new SESv2Client({}).send(
    new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: to },
      Content: { Simple: { Subject: { Data: subject }, Body: text ? { Text: { Data: text } } : {} } },
    }),
  );
};

test.each([
  [{ from: 'a@unverified.invalid' }, MessageRejected],
  [{ to: Array(51).fill('b@example.com') }, BadRequestException],
  [{ to: [] }, BadRequestException],
  [{ to: ['nobody'] }, BadRequestException],
  [{ to: ['zoë@example.com'] }, BadRequestException],
  [{ subject: 'a\r\nBcc: eve@example.com' }, BadRequestException],
  [{ text: '' }, BadRequestException],
])('SES rejects %j with its own error type', async (changes, type) => {
  await expect(email(changes)).rejects.toThrow(type);
});

test.each([
  [{ Message: 'm' }],
  [{ PhoneNumber: '0170', Message: 'm' }],
  [{ PhoneNumber: '+491701234567', Message: '' }],
  [{ PhoneNumber: '+491701234567', Message: 'x'.repeat(1_601) }],
  [
    {
      PhoneNumber: '+491701234567',
      Message: 'm',
      MessageAttributes: { 'AWS.SNS.SMS.SenderID': { DataType: 'String', StringValue: '<12>' } },
    },
  ],
])('SNS rejects %j with its own error type', async (input) => {
  await expect(new SNSClient({}).send(new PublishCommand(input))).rejects.toThrow(InvalidParameterException);
});

const entry = { Source: 's', DetailType: 't', Detail: '{}', EventBusName: 'b' };
const put = (...Entries: object[]) => new EventBridgeClient({}).send(new PutEventsCommand({ Entries }));

test('EventBridge reports for each entry whether it was accepted', async () => {
  const mark = randomUUID();
  const { FailedEntryCount, Entries } = await put(
    { ...entry, Detail: JSON.stringify({ mark }) },
    { ...entry, Detail: '{' },
    { ...entry, Detail: '[1]' },
    { ...entry, DetailType: undefined },
    { ...entry, DetailType: 'x'.repeat(129) },
  );
  expect(FailedEntryCount).toBe(4);
  expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
    undefined,
    'MalformedDetail',
    'MalformedDetail',
    'InvalidArgument',
    'InvalidArgument',
  ]);
  expect(await findSentMessages(mark)).toEqual([
    { bus: 'b', source: 's', detailType: 't', detail: { mark } },
  ]);
});

test('EventBridge rejects more than 256 KB and more than ten entries', async () => {
  const large = { ...entry, Detail: JSON.stringify('x'.repeat(140_000)) };
  await expect(put(large, large)).rejects.toMatchObject({ name: 'ValidationException' });
  await expect(put(...Array(11).fill(entry))).rejects.toThrow();
});

test('the stand-ins reject unknown operations', async () => {
  await expect(new SESv2Client({}).send(new GetAccountCommand({}))).rejects.toMatchObject({
    name: 'UnknownOperationException',
  });
});

test('the outbox shows sent messages to any caller on this machine, newest first', async () => {
  const mark = randomUUID();
  for (const subject of [`first ${mark}`, `second ${mark}`]) await email({ subject });
  const { status, body } = await call('GET', '/local/outbox');
  expect(status).toBe(200);
  expect(body.messages[0]).toEqual({
    id: expect.any(String),
    kind: expect.any(String),
    sentAt: expect.stringMatching(/^\d{4}-/),
    message: expect.any(Object),
  });
  expect(await findSentMessages(mark)).toMatchObject([
    { subject: `second ${mark}` },
    { subject: `first ${mark}` },
  ]);
});

test('the outbox keeps the last hundred messages; in a directory they survive a restart, readable only by the owner', () => {
  const directory = mkdtempSync(join(tmpdir(), 'outbox-'));
  const first = openOutbox(directory);
  for (let n = 0; n < 130; n++) first.keep('sms', { n });
  first.close();
  const second = openOutbox(directory);
  second.keep('sms', { n: 130 });
  const { body } = second.routes['GET /local/outbox']('', {} as never) as { body: string };
  second.close();
  const kept: number[] = JSON.parse(body).messages.map(
    ({ message }: { message: { n: number } }) => message.n,
  );
  expect(kept).toEqual(Array.from({ length: 100 }, (_, n) => 130 - n));
  expect(statSync(join(directory, 'outbox.db')).mode & 0o777).toBe(0o600);
});
