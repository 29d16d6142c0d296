import type { ErrorDetail } from '../../core/errors.ts';
import { problemAt } from './problem-at.ts';
import type { McpServer } from './tools-config.ts';

/** A password is for basic, a connection for oauth, a token for all other types. */
export const authProblems = (servers: readonly McpServer[]): ErrorDetail[] =>
  servers.flatMap(({ auth }, index) => {
    if (!auth) return [];
    const path = ['config', 'tools', 'mcpServers', index, 'auth'];
    const used = memberOf[auth.type];
    const unused = (['token', 'password', 'connectionId'] as const).filter((member) => member !== used);
    const problems = unused
      .filter((member) => auth[member] !== undefined)
      .map((member) => {
        const message = `The type ${auth.type} has no ${member}. Send ${used ?? 'none'}`;
        return problemAt([...path, member], 'INVALID_VALUE', message);
      });
    if (auth.type !== 'oauth' || auth.connectionId !== undefined) return problems;
    const missing = 'The type oauth needs a connection, from POST /v1/mcp-connections';
    return [...problems, problemAt([...path, 'connectionId'], 'MISSING_REQUIRED_FIELD', missing)];
  });

const memberOf = {
  ...{ api_key: 'token', bearer: 'token', custom_header: 'token' },
  ...{ basic: 'password', oauth: 'connectionId', none: undefined },
} as const;
