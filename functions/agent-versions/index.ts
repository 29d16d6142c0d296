import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { getAgentVersion } from './get.ts';
import { getPublishedAgentVersion } from './get-published.ts';
import { listAgentVersions } from './list.ts';
import { publishAgentVersion } from './publish.ts';

export const agentVersionsGroup = {
  description: 'The versions of an agent: its draft and its published versions.',
  endpoints: [listAgentVersions, getPublishedAgentVersion, getAgentVersion, publishAgentVersion],
} as const satisfies EndpointGroup;
