import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { getFlowVersion } from './get.ts';
import { getPublishedFlowVersion } from './get-published.ts';
import { listFlowVersions } from './list.ts';
import { publishFlowVersion } from './publish.ts';

export const flowVersionsGroup = {
  description: 'The versions of a flow: its draft and its published versions.',
  endpoints: [listFlowVersions, getPublishedFlowVersion, getFlowVersion, publishFlowVersion],
} as const satisfies EndpointGroup;
