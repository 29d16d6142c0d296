import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { addSurfaceItem } from './add-item.ts';
import { createSurface } from './create.ts';
import { deleteSurface } from './delete.ts';
import { listSurfaceDeliveries } from './deliveries.ts';
import { describeSurface } from './document.ts';
import { getSurface } from './get.ts';
import { listSurfaces } from './list.ts';
import { removeSurfaceItem } from './remove-item.ts';
import { resendDelivery } from './resend-delivery.ts';
import { updateSurface } from './update.ts';
import { updateSurfaceItem } from './update-item.ts';

export const surfacesGroup = {
  description: 'Define how callers reach the capabilities of a product.',
  endpoints: [
    listSurfaces,
    createSurface,
    getSurface,
    updateSurface,
    deleteSurface,
    addSurfaceItem,
    updateSurfaceItem,
    removeSurfaceItem,
    listSurfaceDeliveries,
    resendDelivery,
    describeSurface,
  ],
} as const satisfies EndpointGroup;
