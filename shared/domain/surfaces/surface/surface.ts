import * as z from 'zod';
import { defineEntity } from '../../../platform/data/entity.ts';
import { jsonText } from '../../../platform/data/json-text.ts';
import { tenantPartition } from '../../../platform/data/keys.ts';
import { productPartition } from '../../products/product.ts';
import type { StoredInbound, StoredOutbound } from './surface-secret-places.ts';

interface SurfaceType {
  /** What it does for its callers; undefined if it can only be stored and configured. */
  summary?: string;
  /** Whether its items are called by their slugs. */
  hasEndpoints: boolean;
  /** The messaging channel that it needs. This service connects none. */
  channel?: string;
}

const channel = (name: string): SurfaceType => ({ hasEndpoints: false, channel: name });

/** All types of surfaces by name. To add one, add a line. */
export const surfaceTypes = {
  api: { summary: 'Runs a capability by POST, and answers with JSON or a stream', hasEndpoints: true },
  webhook: { summary: 'Runs a capability for each signed event of another service', hasEndpoints: true },
  schedule: { summary: 'Runs flows by the clock', hasEndpoints: false },
  chat: { summary: 'Chats with the visitors of pages', hasEndpoints: false },
  mcp: { summary: 'Offers each capability as a tool of an MCP server', hasEndpoints: true },
  mcp_code: { hasEndpoints: false },
  a2a: { summary: 'Offers each capability as a skill of an A2A agent', hasEndpoints: true },
  'hosted-page': { hasEndpoints: false },
  email: channel('email'),
  slack: channel('Slack'),
  sms: channel('SMS'),
  imessage: channel('iMessage'),
  discord: channel('Discord'),
  whatsapp: channel('WhatsApp'),
  telegram: channel('Telegram'),
} satisfies Record<string, SurfaceType>;

export type SurfaceTypeName = keyof typeof surfaceTypes;
export const surfaceTypeNames = Object.keys(surfaceTypes) as [SurfaceTypeName, ...SurfaceTypeName[]];
export const getSurfaceType = (name: SurfaceTypeName): SurfaceType => surfaceTypes[name];

export const surfaceStatuses = ['draft', 'active', 'paused'] as const;
export const surfaceEnvironments = ['production', 'development'] as const;

type Members = Record<string, unknown>;

interface Presentation {
  route: string;
  displayLabel: string;
  displayIcon?: string | undefined;
  displayMode: 'chat' | 'form' | 'document';
  displayOrder: number;
  isDefault: boolean;
  visibility: 'public' | 'auth-only';
  formConfig?: Members | undefined;
}

export interface SurfaceItem {
  id: string;
  capabilityId: string;
  enabled: boolean;
  endpointSlug: string | null;
  exposedName: string | null;
  exposedDescription: string | null;
  isEntryPoint: boolean;
  config: Members | null;
  presentation: Presentation | null;
  displayOrder: number;
  createdAt: string;
}

export const Surface = z.object({
  id: z.string(),
  productId: z.string(),
  /** Incremented with each write, to detect concurrent changes. */
  revision: z.int(),
  name: z.string(),
  type: z.enum(surfaceTypeNames),
  environment: z.enum(surfaceEnvironments),
  status: z.enum(surfaceStatuses),
  behavior: jsonText<Members>(),
  inbound: jsonText<StoredInbound>(),
  outbound: jsonText<StoredOutbound>(),
  /** The version in Secrets Manager with its plaintext secrets. Null if it never had any. */
  valueId: z.string().nullable().default(null),
  items: jsonText<SurfaceItem[]>(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Surface = z.infer<typeof Surface>;

export const toStoredSurface = (surface: Surface): z.input<typeof Surface> => ({
  ...surface,
  behavior: JSON.stringify(surface.behavior),
  inbound: JSON.stringify(surface.inbound),
  outbound: JSON.stringify(surface.outbound),
  items: JSON.stringify(surface.items),
});

export const surfacesPartition = (productId: string) => tenantPartition(`PRODUCT#${productId}#SURFACES`);

export const surfaceEntity = defineEntity({
  type: 'surface',
  noun: 'surface',
  schema: Surface,
  key: ({ productId, id }: { productId: string; id: string }) => ({
    PK: productPartition(productId),
    SK: `SURFACE#${id}`,
  }),
  index: ({ productId, id }) => ({ PK1: surfacesPartition(productId), SK1: id }),
  summary: ['type', 'status', 'environment'],
});
