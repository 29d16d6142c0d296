import * as z from 'zod';
import { SurfaceParams } from '../surfaces/response-schemas.ts';

export const PushConfigsParams = SurfaceParams.extend({
  taskId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,256}$/)
    .meta({ example: 'task_01k9m4v7d3x8qz5w2r6t0y1hbn' }),
});

export const PushConfigParams = PushConfigsParams.extend({
  configId: z
    .string()
    .regex(/^[A-Za-z0-9._~-]{1,128}$/)
    .meta({ example: 'pushcfg_01k9m4v7d3x8qz5w2r6t0y1hbn' }),
});

const config = {
  id: 'pushcfg_01k9m4v7d3x8qz5w2r6t0y1hbn',
  taskId: 'task_01k9m4v7d3x8qz5w2r6t0y1hbn',
  url: 'https://example.com/told',
};

/** The protocol answers what is wrong with it. */
export const PushConfigBody = z
  .looseObject({ id: z.unknown(), url: z.unknown(), token: z.unknown(), authentication: z.unknown() })
  .partial()
  .meta({
    id: 'A2aPushConfigBody',
    examples: [{ url: config.url, authentication: { scheme: 'Bearer', credentials: 'a token' } }],
  });

export const A2aPushConfig = z
  .looseObject({
    id: z.string(),
    taskId: z.string(),
    url: z.string(),
    authentication: z.looseObject({ scheme: z.string() }).optional(),
  })
  .meta({ id: 'A2aPushConfig', examples: [{ ...config, authentication: { scheme: 'Bearer' } }] });

export const A2aPushConfigs = z
  .looseObject({ configs: z.array(A2aPushConfig) })
  .meta({ id: 'A2aPushConfigs', examples: [{ configs: [config] }] });

export const A2aNothing = z.looseObject({}).meta({ id: 'A2aNothing', examples: [{}] });
