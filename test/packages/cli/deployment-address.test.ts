import { expect, test } from 'vitest';
import {
  deploymentAddress,
  isReadableOnTheWay,
} from '../../../packages/cli/src/session/deployment-address.ts';

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  [' HTTPS://API.example.com// ', 'https://api.example.com'],
  ['https://api.example.com/prod/', 'https://api.example.com/prod'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
])('%j is stored as %s', (given, stored) => {
  expect(deploymentAddress(given)).toBe(stored);
});

test.each([
  ['127.0.0.1:3000', 'is not an address'],
  ['localhost:3000', 'is not an address'],
  ['javascript:alert(1)', 'is not an address'],
  ['file:///etc/passwd', 'is not an address'],
  ['https://ada:hunter2@api.example.com', 'must not contain a user or a password'],
  ['https://api.example.com?stage=prod', 'begins with ? or #'],
  ['https://api.example.com/console#/flows', 'begins with ? or #'],
])('%s is refused, because it %s', (given, reason) => {
  expect(() => deploymentAddress(given)).toThrow(reason);
});

test('a message about an address does not repeat its password', () => {
  expect(() => deploymentAddress('https://ada:hunter2@api.example.com')).not.toThrow('hunter2');
});

test.each([
  ['http://192.168.1.7:3000', true],
  ['http://127.0.0.1.example.com', true],
  ['http://localhost.example.com', true],
  ['http://127.0.0.1:3000', false],
  ['http://localhost:3000', false],
  ['http://app.localhost', false],
  ['http://[::1]:3000', false],
  ['https://api.example.com', false],
])('whether the network can read a key on its way to %s: %s', (address, isReadable) => {
  expect(isReadableOnTheWay(address)).toBe(isReadable);
});
