import * as z from 'zod';
import type { SearchProvider } from '../../../adapters/ports/http-port.ts';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

const providers = ['exa', 'tavily', 'brave'] satisfies SearchProvider[];

export const searchStep = defineStepType({
  type: 'search',
  summary: 'Search the web',
  config: z.strictObject({
    provider: z.enum(providers),
    query: Template.min(1),
    maxResults: z.int().min(1).max(20).optional().meta({ description: 'Default: 5' }),
    ...commonConfig,
  }),
  output: z.array(
    z.object({
      title: z.string(),
      url: z.string(),
      snippet: z.string(),
      publishedAt: z.iso.datetime().optional().meta({ description: 'Set if the provider knows it' }),
    }),
  ),
  effects: true,
  reusable: true,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
