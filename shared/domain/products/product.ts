/**
 * A product as it is stored, and the schemas of what editors store with it.
 * Capabilities, canvas and spec are JSON texts within the product's item; surfaces are items of their own, of which the
 * product lists id, name and type, so that lists need one index entry per product.
 * The service reads nothing from `Canvas` and `Spec`: it validates them when they are written, and returns them.
 * `product-store.ts` writes products; capabilities change in `domain/surfaces/product-capabilities.ts`.
 */
import * as z from 'zod';
import { wellFormed, wellFormedOnly } from '../../core/name.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';

/** A flow or an agent that the surfaces of a product can expose. Exactly one of the two ids is set. */
export const ProductCapability = z.object({
  id: z.string(),
  capabilityName: z.string(),
  capabilityDescription: z.string().nullable(),
  flowId: z.string().nullable(),
  agentId: z.string().nullable(),
  parametersSchema: z.record(z.string(), z.unknown()).nullable(),
  enabled: z.boolean(),
  displayOrder: z.int(),
  createdAt: z.string(),
});
export type ProductCapability = z.infer<typeof ProductCapability>;

/** A product with its capabilities. Its surfaces are items of their own, of which it lists the names. */
export const Product = z.object({
  id: z.string(),
  /** Incremented with each write, to detect concurrent changes. */
  revision: z.int(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  name: z.string(),
  /** The name in lower case, for the substring search of lists. */
  search: z.string(),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  canvas: jsonText<Canvas>(),
  spec: jsonText<Spec>(),
  capabilities: jsonText<ProductCapability[]>(),
  capabilityNames: z.array(z.string()),
  /** The API key that was created with it. A person may have deleted that key since. */
  testKeyId: z.string().optional(),
  surfaces: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Product = z.infer<typeof Product>;

export const toStoredProduct = ({
  canvas,
  spec,
  capabilities,
  ...product
}: Omit<Product, 'capabilityNames' | 'search'>): z.input<typeof Product> => ({
  ...product,
  search: product.name.toLowerCase(),
  canvas: JSON.stringify(canvas),
  spec: JSON.stringify(spec),
  capabilities: JSON.stringify(capabilities),
  capabilityNames: capabilities.map(({ capabilityName }) => capabilityName),
});

export const productsPartition = tenantPartition('PRODUCTS');
export const productPartition = (id: string) => tenantPartition(`PRODUCT#${id}`);

export const productEntity = defineEntity({
  type: 'product',
  noun: 'product',
  schema: Product,
  key: ({ id }: { id: string }) => ({ PK: productPartition(id), SK: 'PRODUCT' }),
  index: ({ id }) => ({ PK1: productsPartition, SK1: id }),
  summary: ['name', 'search', 'description', 'icon', 'capabilityNames', 'surfaces', 'createdAt', 'updatedAt'],
});

const text = (charactersMax = 2_000) => z.string().max(charactersMax).refine(wellFormed, wellFormedOnly);
const names = z.array(text(255)).max(100);
const moment = z.iso.datetime({ offset: true });
const place = { x: z.number(), y: z.number() };
const positions = z.record(text(100), z.number());

/** How an editor shows a product. The service stores it and reads nothing from it. */
export const Canvas = z
  .strictObject({
    architectureLayout: z.record(text(100), z.strictObject(place)),
    capabilityOrder: names,
    capabilityPositions: positions,
    groups: z
      .array(
        z.strictObject({
          color: text(50),
          id: text(100),
          memberIds: names,
          name: text(255),
          position: z.strictObject(place).optional(),
          size: z.strictObject({ height: z.number(), width: z.number() }).optional(),
          type: z.enum(['capabilities', 'surfaces']).optional(),
        }),
      )
      .max(100),
    notes: z
      .array(
        z.strictObject({
          color: text(50).optional(),
          height: z.number().optional(),
          id: text(100),
          text: text(10_000),
          width: z.number().optional(),
          ...place,
        }),
      )
      .max(100),
    onboardingProgress: z.record(text(100), z.record(z.string(), z.unknown())),
    quickStartImport: z.strictObject({
      documentKind: z.enum(['a2a-agent', 'fpo', 'fpo-template']),
      importedAt: moment,
      normalizedSourceUrl: text().optional(),
      sourceKind: z.enum(['url', 'json']),
      sourceUrl: text().optional(),
      templateVariableKeys: names.optional(),
    }),
    surfaceOrder: names,
    surfacePositions: positions,
    templateId: text(255),
  })
  .partial()
  .meta({ id: 'ProductCanvasInput' });
export type Canvas = z.infer<typeof Canvas>;

/** What a product is for. The service stores it and reads nothing from it. */
export const Spec = z
  .strictObject({
    aiUseCases: names,
    complianceNeeds: names,
    dataSourceTypes: names,
    deploymentTargets: names,
    existingTools: names,
    importedFrom: z.strictObject({
      importedAt: moment,
      source: z.enum(['github', 'linear', 'chatprd', 'manual']),
      sourceId: text(255).optional(),
      syncEnabled: z.boolean().optional(),
    }),
    preferredModels: names,
    productGoal: text(10_000),
    productStage: z.enum(['idea', 'prototype', 'beta', 'production', 'scaling']),
    targetAudience: text(10_000),
    techStack: z
      .strictObject({
        backend: names,
        database: names,
        frontend: names,
        infrastructure: names,
        languages: names,
      })
      .partial(),
  })
  .partial()
  .meta({ id: 'ProductSpecInput' });
export type Spec = z.infer<typeof Spec>;
