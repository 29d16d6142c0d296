import * as z from 'zod';
import { wellFormed, wellFormedOnly } from '../../core/name.ts';

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
