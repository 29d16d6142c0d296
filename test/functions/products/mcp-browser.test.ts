import { build } from 'esbuild';
import { afterAll, expect, test, vi } from 'vitest';
import { noBrowser, watchedPage } from '../../support/console/browser.ts';
import { loopback } from '../../support/servers/loopback.ts';
import { ownGateway } from '../../support/stack/own-gateway.ts';
import { mcpSurface } from '../../support/surfaces/mcp-surface.ts';

afterAll(() => void vi.unstubAllEnvs());

/** A site with the official client for browsers. */
async function clientSite() {
  const { outputFiles } = await build({
    stdin: { contents: "export * from '@modelcontextprotocol/client'", resolveDir: process.cwd() },
    bundle: true,
    format: 'iife',
    globalName: 'mcp',
    platform: 'browser',
    write: false,
  });
  return loopback((request, response) => {
    const isScript = request.url === '/client.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? outputFiles[0]?.text : '<script src="/client.js"></script>');
  });
}

/** In the page: lists and calls a tool. */
async function useClient([url, key, mode]: readonly [string, string, 'auto' | 'legacy']) {
  const { mcp } = globalThis as unknown as { mcp: typeof import('@modelcontextprotocol/client') };
  const { Client, StreamableHTTPClientTransport } = mcp;
  const client = new Client({ name: 'page', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    const { tools } = await client.listTools();
    const { content } = await client.callTool({ name: 'greet', arguments: { person: 'Ada' } });
    return [client.getNegotiatedProtocolVersion(), tools.length, JSON.stringify(content)];
  } catch (error) {
    return String(error);
  }
}

const greeted = JSON.stringify([{ type: 'text', text: 'Hello Ada' }]);

test.skipIf(noBrowser)(
  'the official client in a browser calls an mcp surface from an allowed origin, and from no other',
  async () => {
    const { path, key } = await mcpSurface();
    const gateway = await ownGateway();
    const site = await clientSite();
    try {
      const use = async (mode: 'auto' | 'legacy') => {
        const { page, complaints } = await watchedPage();
        await page.goto(site.url);
        const used = await page.evaluate(useClient, [`${gateway.url}${path}/mcp`, key, mode] as const);
        return { used, complaints: complaints.filter((each) => !each.includes('favicon')) };
      };
      vi.stubEnv('CORS_ORIGINS', `https://other.example.com ${new URL(site.url).origin}`);
      expect(await use('auto')).toEqual({ used: ['2026-07-28', 1, greeted], complaints: [] });
      const legacy = await use('legacy');
      expect(legacy.used).toEqual(['2025-11-25', 1, greeted]);
      // The client tries a stream for messages of the server, and takes the 405 as a no.
      for (const complaint of legacy.complaints) expect(complaint).toContain('405');
      vi.stubEnv('CORS_ORIGINS', 'https://other.example.com');
      expect((await use('auto')).used).toContain('Failed to fetch');
    } finally {
      gateway.close();
    }
  },
  60_000,
);
