import { expect, test } from 'vitest';
import {
  externalWithCredentials,
  serversWithCredentials,
} from '../../../../shared/domain/agents/with-credentials.ts';

test('each MCP server gets the value of its own credential', () => {
  const url = 'https://mcp.example';
  const mcpServers = [
    { id: 'a', url, auth: { type: 'bearer' as const, configured: true } },
    { id: 'b', url, auth: { type: 'basic' as const, username: 'ada', password: '{{secret:KEY}}' } },
    { id: 'c', url },
    { id: 'd', url, auth: { type: 'none' as const } },
  ];
  const values = new Map([
    ['a', 'token-of-a'],
    ['b', 'password-of-b'],
  ]);
  const given = { config: { tools: { mcpServers } } };
  expect(serversWithCredentials(given, { mcpServers: values, external: undefined })).toEqual([
    { id: 'a', url, auth: { type: 'bearer', configured: true, token: 'token-of-a' } },
    { id: 'b', url, auth: { type: 'basic', username: 'ada', password: 'password-of-b' } },
    mcpServers[2],
    mcpServers[3],
  ]);
  expect(serversWithCredentials({ config: null }, { mcpServers: values, external: undefined })).toEqual([]);
});

test('an external agent gets the value of its credentials', () => {
  const config = { endpoint: 'https://a.example', auth: { type: 'bearer' as const, configured: true } };
  const values = { mcpServers: new Map(), external: 'the-token' };
  expect(externalWithCredentials(config, values).auth).toMatchObject({ credentials: 'the-token' });
  expect(externalWithCredentials({ endpoint: 'https://a.example' }, values)).not.toHaveProperty('auth');
});
