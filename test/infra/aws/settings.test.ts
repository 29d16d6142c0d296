import { expect, test } from 'vitest';
import { parseSettings } from '../../../infra/aws/conventions/settings.ts';

test('without values, a deployment has the settings of its environment and the default limits', () => {
  expect(parseSettings({ env: 'dev' })).toMatchObject({
    env: 'dev',
    keepsData: false,
    wafRatePer5Minutes: 'off',
    cloudFront: false,
    rateLimitPerHour: 1_000,
    rateLimitPerDay: 10_000,
    corsOrigins: [],
    sesIdentities: [],
  });
  expect(parseSettings({ env: 'prod' })).toMatchObject({ keepsData: true, wafRatePer5Minutes: 10_000 });
});

test('values of the command line, which are texts, and of cdk.json are parsed', () => {
  const given = {
    env: 'prod',
    rateLimitPerHour: '500',
    rateLimitPerDay: 5_000,
    wafRatePer5Minutes: 'off',
    publicUrl: 'https://api.example.com/',
    cloudFront: 'true',
    conversationRetentionDays: '90',
    corsOrigins: 'https://a.example.com, http://localhost:5173',
    sesIdentities: 'example.com',
    oidcIssuer: 'https://id.example.com/',
    oidcAudience: 'api',
  };
  expect(parseSettings(given)).toMatchObject({
    rateLimitPerHour: 500,
    rateLimitPerDay: 5_000,
    wafRatePer5Minutes: 'off',
    publicUrl: 'https://api.example.com',
    cloudFront: true,
    conversationRetentionDays: 90,
    corsOrigins: ['https://a.example.com', 'http://localhost:5173'],
    sesIdentities: ['example.com'],
    // An issuer’s name is compared with the tokens’ character by character.
    oidcIssuer: 'https://id.example.com/',
  });
});

test('the CDK’s own context values are ignored', () => {
  const own = { 'aws:cdk:enable-path-metadata': true, '@aws-cdk/core:newStyleStackSynthesis': true };
  expect(parseSettings({ env: 'dev', ...own })).toEqual(parseSettings({ env: 'dev' }));
});

test.each([
  ['no environment', {}, 'env: expected one of dev, staging, prod'],
  ['another environment', { env: 'qa' }, 'env: expected one of dev, staging, prod'],
  ['a separator in a number', { rateLimitPerHour: '1,000' }, 'rateLimitPerHour: expected a whole number'],
  ['no number', { rateLimitPerDay: 'many' }, 'rateLimitPerDay: expected a whole number'],
  ['a limit of 0', { rateLimitPerDay: '0' }, 'rateLimitPerDay: expected a whole number from 1'],
  ['no retention', { conversationRetentionDays: '0' }, 'conversationRetentionDays: expected a whole number'],
  ['a rate below WAF’s smallest', { wafRatePer5Minutes: '9' }, 'wafRatePer5Minutes: expected a whole number'],
  [
    'a rate that is no number',
    { wafRatePer5Minutes: 'many' },
    'wafRatePer5Minutes: expected off, or a whole',
  ],
  ['an empty rate', { wafRatePer5Minutes: '' }, 'wafRatePer5Minutes: expected off, or a whole number'],
  ['an issuer without audience', { oidcIssuer: 'https://id.example.com' }, 'oidcAudience: expected both'],
  ['an audience without issuer', { oidcAudience: 'api' }, 'oidcAudience: expected both'],
  ['a client without issuer', { consoleClientId: 'spa' }, 'consoleClientId: expected only together with'],
  [
    'an origin to sign in without a client',
    { signInOrigins: 'https://a.b' },
    'signInOrigins: expected only together with consoleClientId',
  ],
  [
    'an unencrypted origin to sign in',
    { signInOrigins: 'https://a.b,http://localhost' },
    'signInOrigins.1: expected origins like',
  ],
  ['any origin to sign in', { signInOrigins: '*' }, 'signInOrigins.0: expected origins like'],
  ['an unencrypted issuer', { oidcIssuer: 'http://a.b', oidcAudience: 'x' }, 'oidcIssuer: expected a URL'],
  ['an origin with a path', { corsOrigins: 'https://a.b/c' }, 'corsOrigins.0: expected origins like'],
  ['an origin with a trailing slash', { corsOrigins: 'https://a.b,https://c.d/' }, 'corsOrigins.1: expected'],
  ['an unencrypted origin', { corsOrigins: 'http://a.example.com' }, 'corsOrigins.0: expected origins like'],
  ['a quote in an origin', { corsOrigins: 'https://a"b' }, 'corsOrigins.0: expected origins like'],
  ['a wildcard of senders', { sesIdentities: '*' }, 'sesIdentities.0: expected addresses or domains'],
  ['no AWS region', { bedrockRegion: 'Frankfurt' }, 'bedrockRegion: expected an AWS region'],
  ['another flag', { cloudFront: 'yes' }, 'cloudFront: expected true or false'],
  ['no email address', { alarmEmail: 'ops' }, 'alarmEmail: expected an email address'],
  ['no topic', { alarmTopicArn: 'ops' }, 'alarmTopicArn: expected the ARN of an SNS topic'],
  ['a cost of 0', { alarmCostPerHourUsd: '0' }, 'alarmCostPerHourUsd: expected a whole number from 1'],
  ['another level', { logLevel: 'debug' }, 'logLevel: expected info, warn or error'],
  ['workers of another kind', { workers: 'fargate' }, 'workers: expected lambda or managed'],
  ['workers without a kind', { workers: '' }, 'workers: expected lambda or managed'],
  ['canaries without alarms', { canary: 'true' }, 'canary: rolls back on alarms, so it needs alarms=true'],
  [
    'a misspelt name',
    { rateLimitPerhour: '5' },
    'rateLimitPerhour: there is no such value. Known values: env',
  ],
])('%s is an error that names the value', (_, context, message) => {
  const env = Object.keys(context).length > 0 && !('env' in context) ? { env: 'dev' } : {};
  expect(() => parseSettings({ ...env, ...context })).toThrow(message);
});

test('every wrong value is named at once', () => {
  const wrong = { env: 'dev', rateLimitPerHour: 'x', publicUrl: 'y', typo: 'z' };
  expect(() => parseSettings(wrong)).toThrow(/rateLimitPerHour[\s\S]*publicUrl[\s\S]*typo/);
});
