import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import {
  type Surface,
  type SurfaceItem,
  surfaceEnvironments,
  surfaceStatuses,
  surfaceTypeNames,
} from '../../shared/domain/surfaces/surface/surface.ts';

export const SurfaceParams = z.object({ id: resourceId('product'), surfaceId: resourceId('surface') });

export const ItemParams = SurfaceParams.extend({ itemId: resourceId('item') });

export const MembersSchema = z.record(z.string(), z.unknown());

export const surfaceExample = {
  id: 'surface_01k9m4v7d3x8qz5w2r6t0y1hbn',
  productId: 'product_01k9m4v7d3x8qz5w2r6t0y1hbn',
  name: 'Public API',
  type: 'api',
  environment: 'development',
  status: 'draft',
  behavior: {},
  inbound: {},
  outbound: {},
  createdAt: '2026-11-22T09:30:00.000Z',
  updatedAt: '2026-11-22T09:30:00.000Z',
} as const;

export const surfaceFields = {
  id: z.string(),
  productId: z.string(),
  name: z.string(),
  type: z.enum(surfaceTypeNames),
  environment: z.enum(surfaceEnvironments),
  status: z.enum(surfaceStatuses),
  behavior: MembersSchema,
  inbound: MembersSchema,
  outbound: MembersSchema,
  createdAt: z.string(),
  updatedAt: z.string(),
};

export const SurfaceFields = z
  .object(surfaceFields)
  .meta({ id: 'SurfaceFields', examples: [surfaceExample] });

export const itemFields = {
  id: z.string(),
  surfaceId: z.string(),
  capabilityId: z.string(),
  enabled: z.boolean(),
  endpointSlug: z.string().nullable(),
  exposedName: z.string().nullable(),
  exposedDescription: z.string().nullable(),
  isEntryPoint: z.boolean(),
  config: MembersSchema.nullable(),
  presentation: MembersSchema.nullable(),
  displayOrder: z.int(),
  createdAt: z.string(),
};

export const itemExample = {
  id: 'item_01k9m4v7d3x8qz5w2r6t0y1hbn',
  surfaceId: surfaceExample.id,
  capabilityId: 'cap_01k9m4v7d3x8qz5w2r6t0y1hbn',
  enabled: true,
  endpointSlug: 'describe-airport',
  exposedName: null,
  exposedDescription: null,
  isEntryPoint: false,
  config: null,
  presentation: null,
  displayOrder: 0,
  createdAt: '2026-11-22T09:30:00.000Z',
};

export const SurfaceItemResponse = z.object(itemFields).meta({ id: 'SurfaceItem', examples: [itemExample] });

export const SurfaceResponse = z
  .object({ ...surfaceFields, items: z.array(SurfaceItemResponse) })
  .meta({ id: 'Surface', examples: [{ ...surfaceExample, items: [itemExample] }] });

/** A surface without its items. */
export const toSurfaceResponse = (surface: Surface) => ({
  id: surface.id,
  productId: surface.productId,
  name: surface.name,
  type: surface.type,
  environment: surface.environment,
  status: surface.status,
  behavior: surface.behavior,
  inbound: surface.inbound,
  outbound: surface.outbound,
  createdAt: surface.createdAt,
  updatedAt: surface.updatedAt,
});

/** The outbound part with the secret that was generated for its webhook, which is shown once. */
export const outboundWithSecret = ({ outbound }: Surface, newSecret: string | undefined) => ({
  outbound:
    newSecret === undefined ? outbound : { ...outbound, webhook: { ...outbound.webhook, secret: newSecret } },
});

export const toItemResponse = (surfaceId: string, { presentation, ...item }: SurfaceItem) => ({
  surfaceId,
  ...item,
  presentation: presentation && { ...presentation },
});

export const toWholeSurface = (surface: Surface) => ({
  ...toSurfaceResponse(surface),
  items: surface.items.map((item) => toItemResponse(surface.id, item)),
});
