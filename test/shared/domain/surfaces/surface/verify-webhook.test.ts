import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  hasSignature,
  isSignedBy,
  type SchemeName,
} from '../../../../../shared/domain/surfaces/surface/verify-webhook.ts';

interface Example {
  scheme: SchemeName;
  secret: string;
  body: string;
  headers: Record<string, string>;
  /** Unix seconds. */
  at: number;
}

/** The examples that the senders document. */
const examples: Record<SchemeName, Example> = {
  // https://github.com/standard-webhooks/standard-webhooks, the test vectors of its libraries.
  'standard-webhooks': {
    scheme: 'standard-webhooks',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    at: 1_614_265_330,
  },
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github: {
    scheme: 'github',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    at: 1_700_000_000,
  },
  // https://docs.stripe.com/webhooks#verify-manually describes it without an example.
  stripe: {
    scheme: 'stripe',
    secret: 'whsec_test_secret',
    body: '{"id":"evt_test_webhook","object":"event"}',
    headers: {
      'stripe-signature': `t=1492774577,v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39,v1=${createHmac(
        'sha256',
        'whsec_test_secret',
      )
        .update('1492774577.{"id":"evt_test_webhook","object":"event"}')
        .digest('hex')}`,
    },
    at: 1_492_774_577,
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    scheme: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    at: 1_531_420_618,
  },
};
const all = Object.values(examples);
const timed = all.filter(({ scheme }) => scheme !== 'github');

const isValid = (
  { scheme, secret, body, headers, at }: Example,
  { secrets = [secret], lateS = 0, toleranceSeconds = 300 } = {},
) =>
  isSignedBy(
    { header: (name) => headers[name], body },
    { scheme, secrets, toleranceSeconds, now: new Date((at + lateS) * 1_000) },
  );

test.each(all)('$scheme: the documented example is signed', (example) => {
  expect(isValid(example)).toBe(true);
  expect(hasSignature((name) => example.headers[name])).toBe(true);
});

test.each(all)('$scheme: not by another secret, and not by none', (example) => {
  expect(isValid(example, { secrets: ['another secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx'] })).toBe(
    false,
  );
  expect(isValid(example, { secrets: [] })).toBe(false);
});

test.each(all)('$scheme: either of two secrets is enough', (example) => {
  expect(isValid(example, { secrets: ['another secret', example.secret] })).toBe(true);
  expect(isValid(example, { secrets: [example.secret, 'another secret'] })).toBe(true);
});

test.each(all)('$scheme: another body is not signed', (example) => {
  expect(isValid({ ...example, body: `${example.body} ` })).toBe(false);
  expect(isValid({ ...example, body: '' })).toBe(false);
});

test.each(all.flatMap((example) => Object.keys(example.headers).map((name) => ({ example, name }))))(
  '$example.scheme: without the header $name, or with a part of it, it is not signed',
  ({ example, name }) => {
    const { [name]: value = '', ...headers } = example.headers;
    for (const other of [undefined, '', value.slice(0, -1), `${value.slice(0, 5)}x`]) {
      const sent = { ...headers, ...(other !== undefined && { [name]: other }) };
      expect(isValid({ ...example, headers: sent })).toBe(false);
    }
  },
);

test.each(timed)('$scheme: a signature is valid within the tolerance, before and after', (example) => {
  const late = (lateS: number, toleranceSeconds?: number) =>
    isValid(example, { lateS, ...(toleranceSeconds && { toleranceSeconds }) });
  expect([late(300), late(301), late(-300), late(-301)]).toEqual([true, false, true, false]);
  expect([late(10, 10), late(11, 10), late(900, 900)]).toEqual([true, false, true]);
});

test('a time that is no number is refused', () => {
  const { slack, stripe } = examples;
  for (const time of ['1531420618.5', '-1', 'NaN', '9'.repeat(20)]) {
    const headers = { ...slack.headers, 'x-slack-request-timestamp': time };
    expect(isValid({ ...slack, headers })).toBe(false);
    expect(isValid({ ...stripe, headers: { 'stripe-signature': `t=${time},v1=00` } })).toBe(false);
  }
});

test('one of several signatures is enough, among as many as senders have secrets', () => {
  const { stripe } = examples;
  const standard = examples['standard-webhooks'];
  const right = standard.headers['webhook-signature'];
  const withOthers = (signatures: string) =>
    isValid({ ...standard, headers: { ...standard.headers, 'webhook-signature': signatures } });
  expect(withOthers(`v1,AAAA v1a,BBBB ${right}`)).toBe(true);
  expect(withOthers(`${'v1,AAAA '.repeat(10)}${right}`)).toBe(false);
  const [time = '', , first = ''] = stripe.headers['stripe-signature']?.split(',') ?? [];
  const stripeWith = (...parts: string[]) =>
    isValid({ ...stripe, headers: { 'stripe-signature': [time, ...parts].join(',') } });
  expect([stripeWith('v1=00', first), stripeWith('v1=00'), stripeWith(first.replace('v1', 'v0'))]).toEqual([
    true,
    false,
    false,
  ]);
});

test('headers that do not sign are no signature', () => {
  expect(hasSignature((name) => ({ 'webhook-id': 'x', authorization: 'y' })[name])).toBe(false);
});
