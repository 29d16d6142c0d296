/**
 * The client that the conformance suite starts. For scenarios with OAuth it makes a connection through the API, opens its
 * link as a person's browser does, and calls a tool; for others it runs an agent that has the server. Arguments: the URL of the API, a token, its public origin, and the URL of the server.
 */
const [api = '', token = '', publicOrigin = '', url = ''] = process.argv.slice(2);
const {
  toolCalls,
  client_id: clientId,
  client_secret: clientSecret,
} = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
/** How often a person is asked for more scopes. */
const authorizationsMax = 3;

const here = (address: string) => address.replace(publicOrigin, api);

async function call(method: string, path: string, body?: object) {
  const response = await fetch(api + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Follows a link by hand, as a browser with a cookie does. */
async function authorize(authorizeUrl: string): Promise<void> {
  const opened = await fetch(here(authorizeUrl), { redirect: 'manual' });
  const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const authorized = await fetch(opened.headers.get('location') ?? '', { redirect: 'manual' });
  const callback = here(authorized.headers.get('location') ?? '');
  const ended = await fetch(callback, { redirect: 'manual', headers: { cookie } });
  const ending = new URL(ended.headers.get('location') ?? '').hash;
  if (ending !== '#connected') throw new Error(`The authorization ended as ${ending}`);
}

async function callWithOAuth(): Promise<void> {
  const client = clientId === undefined ? {} : { clientId, clientSecret };
  const { data: connection } = await call('POST', '/v1/mcp-connections', { url, ...client });
  await authorize(connection.authorizeUrl);
  const { id } = await call('POST', '/v1/tools', {
    toolType: 'mcp',
    name: 'Test',
    description: 'It',
    parametersSchema: { type: 'object' },
    config: { url, toolName: 'test-tool', auth: { type: 'oauth', connectionId: connection.id } },
  });
  for (let authorizations = 1; ; authorizations++) {
    const ran = await call('POST', `/v1/tools/${id}/execute`, { parameters: {} });
    if (ran.status === 'success') break;
    if (!/create a new link/.test(ran.error) || authorizations === authorizationsMax)
      throw new Error(ran.error);
    const { data } = await call('POST', `/v1/mcp-connections/${connection.id}/authorize`, {});
    await authorize(data.authorizeUrl);
  }
}

/** What the model of the agent calls, where the suite does not say it. */
const calledIn: Record<string, ToolCall[]> = {
  tools_call: [{ name: 'add_numbers', arguments: { a: 2, b: 3 } }],
  'sse-retry': [{ name: 'test_reconnection', arguments: {} }],
  'http-invalid-tool-headers': [{ name: 'valid_tool', arguments: { region: 'us-west1' } }],
};

interface ToolCall {
  name: string;
  arguments: object;
}

/** An agent lists the tools of the server, and its model calls some. */
async function callAsAgent(calls: readonly ToolCall[]): Promise<void> {
  const turns = [
    ...calls.map((one) => ({ toolCalls: [{ ...one, name: `server__${one.name}` }] })),
    { text: 'Done' },
  ];
  const tools = { mcpServers: [{ id: 'server', url }] };
  await call('POST', '/v1/dispatch', {
    agent: { config: { model: 'generic-openai/scripted', loopConfig: { maxTurns: 20 }, tools } },
    messages: [{ role: 'user', content: JSON.stringify(turns) }],
    options: { streamResponse: false },
  });
}

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
if (scenario.startsWith('auth/')) await callWithOAuth();
else await callAsAgent(toolCalls ?? calledIn[scenario] ?? []);
