import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { getMcpInfo } from './info.ts';
import { getMcpMetadata } from './metadata.ts';
import { serveMcp } from './serve.ts';

export const surfaceMcpGroup = {
  description: 'Offer what a product exposes as tools of an MCP server.',
  endpoints: [serveMcp, getMcpInfo, getMcpMetadata],
} as const satisfies EndpointGroup;
