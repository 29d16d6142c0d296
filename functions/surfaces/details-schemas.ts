import * as z from 'zod';
import type { SurfaceDetails } from '../../shared/domain/surfaces/surface-details.ts';
import { keyExample, SurfaceKeyResponse, toSurfaceKeyResponse } from './key-schemas.ts';
import {
  itemExample,
  itemFields,
  MembersSchema,
  surfaceExample,
  surfaceFields,
  toItemResponse,
  toSurfaceResponse,
} from './response-schemas.ts';

const exposed = {
  capabilityName: z.string().nullable(),
  flowId: z.string().nullable(),
  agentId: z.string().nullable(),
  agentType: z.string().nullable(),
  cachedSkills: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .nullable()
    .meta({ description: 'Of an external agent, by its agent card' }),
  parametersSchema: MembersSchema.nullable(),
};

const exposedExample = {
  capabilityName: 'describe-airport',
  flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn',
  agentId: null,
  agentType: null,
  cachedSkills: null,
  parametersSchema: { type: 'object', properties: { code: {} }, required: ['code'] },
};

export const SurfaceDetailsResponse = z
  .object({
    ...surfaceFields,
    items: z.array(z.object({ ...itemFields, ...exposed })),
    keys: z.array(SurfaceKeyResponse),
  })
  .meta({
    id: 'SurfaceDetails',
    examples: [
      {
        ...surfaceExample,
        items: [{ ...itemExample, ...exposedExample }],
        keys: [{ ...keyExample, canReveal: false, isDevelopment: false, lastUsedAt: null, usageCount: 0 }],
      },
    ],
  });

export const toSurfaceDetails = ({ surface, items, keys }: SurfaceDetails) => ({
  ...toSurfaceResponse(surface),
  items: items.map(({ item, exposed: { capability, agentType, cachedSkills } }) => ({
    ...toItemResponse(surface.id, item),
    capabilityName: capability?.capabilityName ?? null,
    flowId: capability?.flowId ?? null,
    agentId: capability?.agentId ?? null,
    agentType,
    cachedSkills,
    parametersSchema: capability?.parametersSchema ?? null,
  })),
  keys: keys.map(toSurfaceKeyResponse),
});
