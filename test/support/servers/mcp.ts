import { onTestFinished } from 'vitest';
import { allowHost } from './loopback.ts';
import { type McpServerKind, startMcpServer } from './mcp-server.ts';

/** A server of the official SDK that tools may reach, and that lives as long as the test. */
export async function mcpServer(kind: McpServerKind) {
  const server = await startMcpServer(kind);
  onTestFinished(server.close);
  allowHost(server.host);
  return server;
}
