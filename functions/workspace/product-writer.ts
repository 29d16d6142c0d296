import type { ResourceWriter } from '../../shared/domain/workspace/writer.ts';
import { addProductCapability } from '../products/add-capability.ts';
import { createProduct } from '../products/create.ts';
import { deleteProduct } from '../products/delete.ts';
import { removeProductCapability } from '../products/remove-capability.ts';
import { updateProduct } from '../products/update.ts';
import { updateProductCapability } from '../products/update-capability.ts';
import { createSchedule } from '../schedules/create.ts';
import { deleteSchedule } from '../schedules/delete.ts';
import { runsFlows } from '../schedules/schemas.ts';
import { updateSchedule } from '../schedules/update.ts';
import { addSurfaceItem } from '../surfaces/add-item.ts';
import { createSurface } from '../surfaces/create.ts';
import { deleteSurface } from '../surfaces/delete.ts';
import { removeSurfaceItem } from '../surfaces/remove-item.ts';
import { updateSurface } from '../surfaces/update.ts';
import { updateSurfaceItem } from '../surfaces/update-item.ts';
import { itemChanges, productChanges, scheduleChanges, surfaceChanges } from './changes.ts';
import { checkParameters } from './checks.ts';

const surfaces: ResourceWriter = {
  param: 'surfaceId',
  create: createSurface,
  update: updateSurface,
  remove: deleteSurface,
  createOnly: ['type'],
  madeSecret: 'outbound.webhook.secret',
  changes: surfaceChanges,
  parts: {
    items: {
      param: 'itemId',
      create: addSurfaceItem,
      update: updateSurfaceItem,
      remove: removeSurfaceItem,
      createOnly: ['capabilityId'],
      updateOnly: ['config'],
      changes: itemChanges,
    },
    schedules: {
      param: 'scheduleId',
      create: createSchedule,
      update: updateSchedule,
      remove: deleteSchedule,
      alsoTakes: runsFlows,
      changes: scheduleChanges,
    },
  },
};

export const productWriter: ResourceWriter = {
  param: 'id',
  create: createProduct,
  update: updateProduct,
  remove: deleteProduct,
  changes: productChanges,
  parts: {
    capabilities: {
      param: 'capabilityId',
      create: addProductCapability,
      update: updateProductCapability,
      remove: removeProductCapability,
      createOnly: ['flowId', 'agentId'],
      check: checkParameters,
    },
    surfaces,
  },
};
