import { generateKey, hashKey } from '../../../../shared/platform/auth/key-format.ts';
import { notFoundBody } from '../../../support/stack/errors.ts';
import { newKey } from '../../../support/stack/keys.ts';
import {
  type Case,
  forbiddenAnswer,
  limitedAnswer,
  missing,
  unauthorized,
  welcome,
  wrongAddress,
} from './world.ts';

export const keys: Case[] = [
  ['a live key', ({ key, bearer }) => bearer(key), welcome],
  ['a test key', ({ madeWith }) => madeWith({ environment: 'test' }), welcome],
  ['a group’s permission', ({ madeWith }) => madeWith({ permissions: ['FLOWS:*'] }), welcome],
  ['every permission', ({ madeWith }) => madeWith({ permissions: ['*'] }), welcome],
  ['a key without its last character', ({ key, bearer }) => bearer(key.slice(0, -1)), unauthorized],
  ['half a key', ({ key, bearer }) => bearer(key.slice(0, 28)), unauthorized],
  ['a prefix alone', ({ bearer }) => bearer('tv_live_'), unauthorized],
  ['a key with one character more', ({ key, bearer }) => bearer(`${key}0`), unauthorized],
  [
    'a wrong checksum',
    ({ key, bearer }) => bearer(key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')),
    unauthorized,
  ],
  [
    'a mistyped character',
    ({ key, bearer }) => bearer(`${key.slice(0, 15)}${key[15] === 'x' ? 'y' : 'x'}${key.slice(16)}`),
    unauthorized,
  ],
  ['a key in upper case', ({ key, bearer }) => bearer(key.toUpperCase()), unauthorized],
  ['a key in lower case', ({ key, bearer }) => bearer(`${key.toLowerCase()}Z`), unauthorized],
  [
    'a live key that calls itself a test key',
    ({ key, bearer }) => bearer(key.replace('live', 'test')),
    unauthorized,
  ],
  ['a prefix that nobody has', ({ key, bearer }) => bearer(key.replace('tv_', 'rt_')), unauthorized],
  ['a live key of the right form', ({ bearer }) => bearer(generateKey('production')), unauthorized],
  ['a test key of the right form', ({ bearer }) => bearer(generateKey('test')), unauthorized],
  ['a setup link of the right form', ({ bearer }) => bearer(generateKey('setup-link')), unauthorized],
  ['the hash of a key', ({ key, bearer }) => bearer(hashKey(key)), unauthorized],
  [
    'the masked form of a key',
    ({ key, bearer }) => bearer(`${key.slice(0, 12)}********${key.slice(-4)}`),
    unauthorized,
  ],
  [
    'a deleted key',
    ({ changed }) => changed(({ id }, { call }) => call('DELETE', `/v1/api-keys/${id}`)),
    unauthorized,
  ],
  [
    'the old value of a regenerated key',
    ({ changed }) => changed(({ id }, { call }) => call('POST', `/v1/api-keys/${id}/regenerate`)),
    unauthorized,
  ],
  [
    'the new value of a regenerated key',
    async ({ tenant, bearer }) => {
      const { id } = await newKey(tenant);
      return bearer((await tenant.call('POST', `/v1/api-keys/${id}/regenerate`)).body.plainKey);
    },
    welcome,
  ],
  ['a deactivated key', ({ put }) => put({ isActive: false }), unauthorized],
  [
    'a key that was deactivated and activated again',
    ({ changed }) =>
      changed(async ({ id }, { call }) => {
        await call('PUT', `/v1/api-keys/${id}`, { body: { isActive: false } });
        await call('PUT', `/v1/api-keys/${id}`, { body: { isActive: true } });
      }),
    welcome,
  ],
  ['a key that expired one second ago', ({ expiring }) => expiring(-1_000), unauthorized],
  ['a key that expires this moment', ({ expiring }) => expiring(0), unauthorized],
  ['a key that expires in a minute', ({ expiring }) => expiring(60_000), welcome],
  ['a narrowed key', ({ put }) => put({ permissions: ['RECORDS:READ'] }), missing('FLOWS:READ')],
  ['a key without permissions', ({ madeWith }) => madeWith({ permissions: [] }), missing('FLOWS:READ')],
  [
    'WRITE where READ is needed',
    ({ madeWith }) => madeWith({ permissions: ['FLOWS:WRITE'] }),
    missing('FLOWS:READ'),
  ],
  [
    'another group’s permission',
    ({ madeWith }) => madeWith({ permissions: ['RECORDS:*'] }),
    missing('FLOWS:READ'),
  ],
  ['a key of this IPv4 address', ({ madeWith }) => madeWith({ allowedIps: ['127.0.0.1'] }), welcome],
  ['a key of this IPv4 range', ({ madeWith }) => madeWith({ allowedIps: ['127.0.0.0/8'] }), welcome],
  [
    'a key of several addresses',
    ({ madeWith }) => madeWith({ allowedIps: ['::1', '10.0.0.1', '127.0.0.1'] }),
    welcome,
  ],
  ['a key of another IPv4 address', ({ madeWith }) => madeWith({ allowedIps: ['127.0.0.2'] }), wrongAddress],
  ['a key of another IPv4 range', ({ madeWith }) => madeWith({ allowedIps: ['127.0.0.2/31'] }), wrongAddress],
  ['a key of an IPv6 address', ({ madeWith }) => madeWith({ allowedIps: ['2001:db8::1'] }), wrongAddress],
  ['a key of an IPv6 range', ({ madeWith }) => madeWith({ allowedIps: ['2001:db8::/32'] }), wrongAddress],
  [
    'a key that was bound to another address',
    ({ put }) => put({ allowedIps: ['192.0.2.0/24'] }),
    wrongAddress,
  ],
  [
    'a client that claims the right address',
    async ({ tenant }) => {
      const { key } = await newKey(tenant, { allowedIps: ['192.0.2.1'] });
      const claims = ['X-Forwarded-For: 192.0.2.1', 'X-Real-IP: 192.0.2.1', 'Forwarded: for=192.0.2.1'];
      return { lines: [`Authorization: Bearer ${key}`, ...claims] };
    },
    wrongAddress,
  ],
  [
    'a key at the end of its hour',
    ({ put }) => put({ rateLimits: { perHour: 1 } }),
    limitedAnswer('Hourly limit of 1 requests reached'),
  ],
  [
    'a key at the end of its day',
    ({ put }) => put({ rateLimits: { perDay: 1 } }),
    limitedAnswer('Daily limit of 1 requests reached'),
  ],
  [
    'another tenant’s key, by its id',
    async ({ key, foreign }) => ({
      lines: [`Authorization: Bearer ${key}`],
      request: { path: `/v1/api-keys/${foreign.id}` },
    }),
    { status: 404, body: notFoundBody('API key') },
  ],
  [
    'a key that makes keys',
    async ({ tenant }) => ({
      lines: [`Authorization: Bearer ${(await newKey(tenant, { permissions: ['*'] })).key}`],
      request: { method: 'POST', path: '/v1/api-keys', body: '{"name":"x"}' },
    }),
    missing('API_KEYS:WRITE'),
  ],
  [
    'a test key that makes keys',
    async ({ tenant }) => ({
      lines: [`Authorization: Bearer ${(await newKey(tenant, { environment: 'test' })).key}`],
      request: { method: 'POST', path: '/v1/api-keys', body: '{"name":"x"}' },
    }),
    forbiddenAnswer('Missing required permission: API_KEYS:WRITE', { code: 'TEST_KEY_PERMISSION_DENIED' }),
  ],
];
