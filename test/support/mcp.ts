import { onTestFinished } from 'vitest';
import { allow } from './loopback.ts';
import { type Kind, startMcpServer } from './mcp-server.ts';

/** A server of the official SDK that tools may reach, and that lives as long as the test. */
export async function mcpServer(kind: Kind) {
  const server = await startMcpServer(kind);
  onTestFinished(server.close);
  allow(server.host);
  return server;
}
