import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

const CrawledPage = z.object({
  url: z.string(),
  depth: z.int().meta({ description: 'The number of links from the first page' }),
  title: z.string().optional(),
  markdown: z.string().optional(),
  error: z
    .string()
    .optional()
    .meta({ description: 'The reason if the page could not be read; replaces its content' }),
});

export const crawlStep = defineStepType({
  type: 'crawl',
  summary: 'Read the pages of a site as Markdown by following its links',
  config: z.strictObject({
    url: Template.min(1).meta({ description: 'The first page. The crawl stays on its host' }),
    limit: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'The maximum number of pages. Default: 10' }),
    depth: z
      .int()
      .min(0)
      .max(5)
      .optional()
      .meta({ description: 'The maximum number of links from the first page. Default: 2' }),
    ...commonConfig,
  }),
  output: z.array(CrawledPage),
  effects: true,
  reusable: true,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
