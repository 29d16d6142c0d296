import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { serveApiMcp } from './serve.ts';

export const apiMcpGroup = {
  description:
    'Use this API as an MCP server, with which an assistant builds, mends and runs flows and agents.',
  endpoints: [serveApiMcp],
} as const satisfies EndpointGroup;
