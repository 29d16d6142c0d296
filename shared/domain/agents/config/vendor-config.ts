import * as z from 'zod';
import { ServerUrl } from '../../flows/steps/server-url.ts';

const JsonObject = z.record(z.string(), z.unknown());
const flag = z.boolean().optional();

/** An agent that its vendor runs. It can be stored, not run. */
export const VendorManagedConfig = z
  .strictObject({
    setupMode: z.enum(['create', 'connect']),
    anthropicAgentId: z.string().min(1).max(255).optional(),
    anthropicAgentVersion: z.int().optional(),
    anthropicEnvironmentId: z.string().max(255).optional(),
    model: z.string().max(255).optional(),
    systemPrompt: z.string().max(100_000).optional(),
    timeoutMs: z.int().min(10_000).max(600_000).optional(),
    toolPermissions: z
      .strictObject({
        bash: flag,
        edit: flag,
        glob: flag,
        grep: flag,
        read: flag,
        write: flag,
        webFetch: flag,
        webSearch: flag,
      })
      .optional(),
    mcpServers: z
      .array(
        z.strictObject({
          url: ServerUrl,
          name: z.string().max(255).optional(),
        }),
      )
      .max(16)
      .optional(),
    customTools: z
      .array(
        z.strictObject({
          capabilityId: z.string().max(255),
          toolName: z.string().min(1).max(100),
          toolDescription: z.string().max(4_000),
          parametersSchema: JsonObject.optional(),
        }),
      )
      .max(64)
      .optional(),
    cachedAgentInfo: z
      .strictObject({
        name: z.string().max(1_000).optional(),
        description: z.string().max(10_000).optional(),
        model: z.string().max(255).optional(),
        version: z.number().optional(),
        fetchedAt: z.string().max(100).optional(),
        tools: z
          .array(z.strictObject({ type: z.string().max(255), name: z.string().max(255).optional() }))
          .max(128)
          .optional(),
      })
      .optional(),
  })
  .meta({ id: 'VendorManagedAgentConfig' });
export type VendorManagedConfig = z.infer<typeof VendorManagedConfig>;
