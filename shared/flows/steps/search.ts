import * as z from 'zod';
import type { SearchProvider } from '../ports.ts';
import { defineStep, StepError } from '../step.ts';
import { Template } from '../templates.ts';
import { plainMembers } from './members.ts';

const providers = ['exa', 'tavily', 'brave'] satisfies SearchProvider[];

export const searchStep = defineStep({
  type: 'search',
  summary: 'Search the web',
  config: z.strictObject({
    provider: z.enum(providers),
    query: Template.min(1),
    maxResults: z.int().min(1).max(20).optional().meta({ description: '5 without it' }),
    ...plainMembers,
  }),
  output: z.array(
    z.object({
      title: z.string(),
      url: z.string(),
      snippet: z.string(),
      publishedAt: z.iso.datetime().optional().meta({ description: 'Where the provider knows it' }),
    }),
  ),
  effects: true,
  takesSecrets: false,
  permission: null,
  async run({ config: { provider, query, maxResults = 5 }, render, ports, signal }) {
    const asked = (await render(query)).trim();
    if (!asked) throw new StepError('The query is empty');
    const { search } = await import('../../web/search.ts');
    return { output: await search({ provider, query: asked, maxResults, ports, signal }) };
  },
});
