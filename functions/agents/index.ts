import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { addAgentCapability } from './add-capability.ts';
import { createAgent } from './create.ts';
import { deleteAgent } from './delete.ts';
import { exportAgentRuntime } from './export-runtime.ts';
import { fetchCardOfAgent } from './fetch-agent-card.ts';
import { getAgent } from './get.ts';
import { listAgents } from './list.ts';
import { publishAgent } from './publish.ts';
import { refreshAgentCard } from './refresh-agent-card.ts';
import { removeAgentCapability } from './remove-capability.ts';
import { updateAgent } from './update.ts';

export const agentsGroup = {
  description:
    'Define and publish agents: models that work towards an answer with tools, flows and other agents.',
  endpoints: [
    listAgents,
    createAgent,
    getAgent,
    updateAgent,
    deleteAgent,
    publishAgent,
    addAgentCapability,
    removeAgentCapability,
    fetchCardOfAgent,
    refreshAgentCard,
    exportAgentRuntime,
  ],
} as const satisfies EndpointGroup;
