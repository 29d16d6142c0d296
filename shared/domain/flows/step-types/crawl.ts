import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

const CrawledPage = z.object({
  url: z.string(),
  depth: z.int().meta({ description: 'How many links lead to the page from the first one' }),
  title: z.string().optional(),
  markdown: z.string().optional(),
  error: z
    .string()
    .optional()
    .meta({ description: 'Why the page could not be read, in place of its content' }),
});

export const crawlStep = defineStepType({
  type: 'crawl',
  summary: 'Read the pages of a site as markdown, following its links',
  config: z.strictObject({
    url: Template.min(1).meta({ description: 'The first page. Only pages of its host are read' }),
    limit: z.int().min(1).max(100).optional().meta({ description: 'Pages at most; 10 without it' }),
    depth: z
      .int()
      .min(0)
      .max(5)
      .optional()
      .meta({ description: 'Links to follow from the first page at most; 2 without it' }),
    ...commonConfig,
  }),
  output: z.array(CrawledPage),
  effects: true,
  takesSecrets: false,
  permission: null,
});
