import type { Writers } from '../../shared/domain/workspace/plan.ts';
import type { ResourceWriter } from '../../shared/domain/workspace/writer.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { addAgentCapability } from '../agents/add-capability.ts';
import { createAgent } from '../agents/create.ts';
import { deleteAgent } from '../agents/delete.ts';
import { publishAgent } from '../agents/publish.ts';
import { removeAgentCapability } from '../agents/remove-capability.ts';
import { updateAgent } from '../agents/update.ts';
import { createBudget } from '../budgets/create.ts';
import { deleteBudget } from '../budgets/delete.ts';
import { updateBudget } from '../budgets/update.ts';
import { createFlow } from '../flows/create.ts';
import { deleteFlow } from '../flows/delete.ts';
import { publishFlow } from '../flows/publish.ts';
import { updateFlow } from '../flows/update.ts';
import { createModelConfig } from '../model-configs/create.ts';
import { deleteModelConfig } from '../model-configs/delete.ts';
import { updateModelConfig } from '../model-configs/update.ts';
import { createTool } from '../tools/create.ts';
import { deleteTool } from '../tools/delete.ts';
import { updateTool } from '../tools/update.ts';
import { agentChanges, flowChanges, modelConfigChanges } from './changes.ts';
import { checkAgentTexts, checkFlowTexts, checkParameters, checkToolTexts } from './checks.ts';
import { productWriter } from './product-writer.ts';

const skeleton = (name: string) => ({ name });

/** The operations that write the resources of a document, by the lists of their kinds. */
export const writers: Writers = {
  modelConfigs: {
    param: 'id',
    create: createModelConfig,
    update: updateModelConfig,
    remove: deleteModelConfig,
    createOnly: ['provider', 'modelId'],
    updateOnly: ['isEnabled', 'isDefault'],
    changes: modelConfigChanges,
  },
  tools: {
    param: 'id',
    create: createTool,
    update: updateTool,
    remove: deleteTool,
    createOnly: ['toolType'],
    updateOnly: ['isActive'],
    check: checkToolTexts,
  },
  flows: {
    param: 'id',
    create: createFlow,
    update: updateFlow,
    remove: deleteFlow,
    publish: publishFlow,
    skeleton,
    changes: flowChanges,
    check: checkFlowTexts,
  },
  agents: {
    param: 'id',
    create: createAgent,
    update: updateAgent,
    remove: deleteAgent,
    publish: publishAgent,
    skeleton,
    changes: agentChanges,
    check: checkAgentTexts,
    parts: {
      capabilities: {
        param: 'capabilityId',
        create: addAgentCapability,
        remove: removeAgentCapability,
        check: checkParameters,
      },
    },
  },
  products: productWriter,
  budgets: {
    param: 'id',
    create: createBudget,
    update: updateBudget,
    remove: deleteBudget,
    madeSecret: 'notify.secret',
  },
};

const endpointsOf = ({ create, update, remove, publish, parts = {} }: ResourceWriter): AnyEndpoint[] => [
  ...[create, update, remove, publish].filter((endpoint) => endpoint !== undefined),
  ...Object.values(parts).flatMap(endpointsOf),
];
export const writingEndpoints = Object.values(writers).flatMap(endpointsOf);
