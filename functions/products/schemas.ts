import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo, wellFormed, wellFormedOnly } from '../../shared/core/name.ts';
import { Canvas, type Product, Spec } from '../../shared/domain/products/product.ts';
import type { Surface } from '../../shared/domain/surfaces/surface/surface.ts';
import { buildDashboardUrl, dashboardUrlText } from '../../shared/platform/http/dashboard-url.ts';
import { SurfaceResponse, surfaceExample, toWholeSurface } from '../surfaces/response-schemas.ts';
import { ProductCapabilityResponse, toCapabilityResponse } from './capability-schemas.ts';

export const ProductParams = z.object({ id: resourceId('product') });

const ProductName = nameUpTo(255);
const optionalFields = {
  description: z.string().max(2_000).refine(wellFormed, wellFormedOnly).nullable().optional(),
  icon: z.string().max(50).refine(wellFormed, wellFormedOnly).nullable().optional(),
};

const example = {
  name: 'Airport desk',
  description: 'Answers questions about airports',
  spec: { productStage: 'beta', targetAudience: 'Travellers' },
};

export const CreateProductBody = z
  .strictObject({ name: ProductName, ...optionalFields, canvas: Canvas.optional(), spec: Spec.optional() })
  .meta({ examples: [example] });

const patchOf = (member: string) =>
  z
    .record(z.string(), z.unknown())
    .meta({ description: `Merged into \`${member}\`: objects deeply, null removes a member` });

export const UpdateProductBody = z
  .strictObject({
    name: ProductName.optional(),
    ...optionalFields,
    canvas: patchOf('canvas').optional(),
    spec: patchOf('spec').optional(),
  })
  .meta({ examples: [{ icon: '✈️', spec: { productStage: 'production' } }] });

const fields = {
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  canvas: z.record(z.string(), z.unknown()),
  spec: z.record(z.string(), z.unknown()),
  createdAt: z.string(),
  updatedAt: z.string(),
  dashboardUrl: z.string().meta({ description: dashboardUrlText }),
};

const productExample = {
  id: 'product_01k9m4v7d3x8qz5w2r6t0y1hbn',
  ...example,
  icon: null,
  canvas: {},
  createdAt: '2026-11-22T09:30:00.000Z',
  updatedAt: '2026-11-22T09:30:00.000Z',
  dashboardUrl: buildDashboardUrl(
    'https://api.example.com',
    'products',
    'product_01k9m4v7d3x8qz5w2r6t0y1hbn',
  ),
};

export const UpdatedProduct = z.object(fields).meta({ id: 'UpdatedProduct', examples: [productExample] });

export const WholeProductResponse = z
  .object({
    ...fields,
    capabilities: z.array(ProductCapabilityResponse),
    surfaces: z.array(SurfaceResponse),
  })
  .meta({
    id: 'Product',
    examples: [{ ...productExample, capabilities: [], surfaces: [{ ...surfaceExample, items: [] }] }],
  });

/** A product without what belongs to it. */
export const toProductResponse = (product: Product, baseUrl: string) => ({
  id: product.id,
  name: product.name,
  description: product.description,
  icon: product.icon,
  canvas: product.canvas,
  spec: product.spec,
  createdAt: product.createdAt,
  updatedAt: product.updatedAt,
  dashboardUrl: buildDashboardUrl(baseUrl, 'products', product.id),
});

export const toWholeProduct = (product: Product, surfaces: readonly Surface[], baseUrl: string) => ({
  ...toProductResponse(product, baseUrl),
  capabilities: product.capabilities.map((each) => toCapabilityResponse(product.id, each)),
  surfaces: surfaces.map(toWholeSurface),
});
