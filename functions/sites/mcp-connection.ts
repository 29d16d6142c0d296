import { readFile } from 'node:fs/promises';
import { donePath } from '../../shared/domain/mcp-connections/connection-paths.ts';
import type { Site } from './site.ts';
import { strictPolicy } from './strict-policy.ts';

const readOwnFile = (file: string) => readFile(new URL(`./mcp-connection/${file}`, import.meta.url), 'utf8');

/** The page on which the authorization of an MCP connection ends. Its fragment says how; it has no script. */
export const mcpConnectionScreen: Site = {
  routes: [donePath, `${donePath}/{proxy+}`],
  headers: { ...strictPolicy, 'cache-control': 'no-store' },
  files: async () => ({
    [donePath]: await readOwnFile('page.html'),
    [`${donePath}/style.css`]: await readOwnFile('style.css'),
  }),
};
