import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { availableModels } from './available.ts';
import { createModelConfig } from './create.ts';
import { deleteModelConfig } from './delete.ts';
import { groupedModels } from './grouped.ts';
import { listModelConfigs } from './list.ts';
import { searchCapableProviders } from './search-capable.ts';
import { searchConfiguredProviders } from './search-configured.ts';
import { setDefaultModelConfig } from './set-default.ts';
import { setModelConfigStatus } from './set-status.ts';
import { updateModelConfig } from './update.ts';
import { modelsInUse } from './usage.ts';

export const modelConfigsGroup = {
  description: 'The models that a tenant chose, and the catalog of those that it can choose from.',
  endpoints: [
    availableModels,
    groupedModels,
    searchCapableProviders,
    searchConfiguredProviders,
    modelsInUse,
    listModelConfigs,
    createModelConfig,
    updateModelConfig,
    deleteModelConfig,
    setDefaultModelConfig,
    setModelConfigStatus,
  ],
} as const satisfies EndpointGroup;
