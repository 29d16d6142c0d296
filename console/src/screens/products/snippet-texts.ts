interface Facts {
  type: string;
  /** Of the surface. */
  address: string;
  baseUrl: string;
  slug: string;
}

interface Snippet {
  title: string;
  text: string;
}

const json = (value: unknown) => JSON.stringify(value, undefined, 2);

/** The texts of each type of surface that others call. */
export const snippetsOf = (facts: Facts): Snippet[] => texts[facts.type]?.(facts) ?? [];

const texts: Record<string, (facts: Facts) => Snippet[]> = {
  api: ({ address, slug }) => [
    {
      title: 'curl',
      text: `curl ${address}/run/${slug} \\
  -H "authorization: Bearer $SURFACE_KEY" \\
  -H "content-type: application/json" \\
  -d '{}'`,
    },
    {
      title: 'TypeScript',
      text: `const response = await fetch('${address}/run/${slug}', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.SURFACE_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({}),
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());`,
    },
    { title: 'OpenAPI document', text: `${address}/openapi.json` },
  ],
  webhook: ({ address, slug }) => [
    { title: 'Address for the sender of events', text: `${address}/webhook/${slug}` },
  ],
  chat: ({ address, baseUrl }) => [
    { title: 'Address of the chat page', text: `${address}/page` },
    {
      title: 'The chat widget in a page that a bundler builds',
      text: `<div id="chat"></div>
<script type="module">
  import { initAgentWidget } from '@runtypelabs/persona';

  initAgentWidget({
    target: '#chat',
    config: { apiUrl: '${baseUrl}', clientToken: 'ct_live_…' },
  });
</script>`,
    },
  ],
  mcp: ({ address }) => [
    {
      title: 'MCP client configuration',
      text: json({
        mcpServers: {
          agentFlow: { url: `${address}/mcp`, headers: { Authorization: 'Bearer SURFACE_KEY' } },
        },
      }),
    },
  ],
  a2a: ({ address }) => [{ title: 'Agent card', text: `${address}/a2a/.well-known/agent-card.json` }],
};
