import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { expect, test } from 'vitest';
import { deliverMessage, sentOnce } from '../../../../shared/adapters/messages/delivery.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { loopback } from '../../../support/servers/loopback.ts';

/** An SES that answers one thing, and what it was asked. */
async function answering(status: number, type: string, message: string) {
  const asked: string[] = [];
  const { url } = await loopback((request, response) => {
    asked.push(String(request.headers['amz-sdk-request']));
    response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
    response.end(JSON.stringify({ message }));
  });
  return { url, asked };
}

const sendingTo = (endpoint: string) => {
  const client = new SESv2Client({ ...sentOnce, endpoint });
  return deliverMessage('The email', (abortSignal) =>
    client.send(new SendEmailCommand({ Content: {} }), { abortSignal }),
  );
};

test.each([
  [
    400,
    'MessageRejected',
    'Email address is not verified.',
    'The email was rejected: Email address is not verified.',
    false,
    1,
  ],
  [429, 'TooManyRequestsException', 'Too many.', 'The email was rejected: Too many.', true, 3],
  [400, 'LimitExceededException', 'Daily quota.', 'The email was rejected: Daily quota.', true, 3],
  [500, 'InternalFailure', 'Oh.', 'The email could not be sent: AWS answered 500', true, 1],
  [
    403,
    'AccessDeniedException',
    'User: arn:aws:sts::123456789012:assumed-role/x is not authorized',
    'The email was rejected: this deployment has no permission to send it',
    false,
    1,
  ],
])(
  'a %i %s is sent again only if it was refused before, and becomes a message',
  async (status, type, says, message, retryable, times) => {
    const { url, asked } = await answering(status, type, says);
    expect(await stepFailure(sendingTo(url))).toMatchObject({ message, retryable });
    expect(asked).toHaveLength(times);
  },
);

test('an unreachable service is retryable', async () => {
  const failure = await stepFailure(sendingTo('http://127.0.0.1:1'));
  expect(failure).toMatchObject({
    message: 'The email could not be sent: ECONNREFUSED',
    retryable: true,
  });
});

test('a call that is too slow is aborted', async () => {
  const tooSlow = deliverMessage('The email', async () => {
    throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  });
  expect(await stepFailure(tooSlow)).toMatchObject({
    message: 'The email was not accepted within 20 s',
    retryable: true,
  });
});

test('a bug is not reported as a delivery failure', async () => {
  const fault = new TypeError('undefined is not a function');
  await expect(deliverMessage('The email', () => Promise.reject(fault))).rejects.toBe(fault);
});
