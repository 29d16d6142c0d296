import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { Headers, Method } from '../steps/http-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

const Parameter = z.string().min(1).max(100);
const Path = z.string().min(1).max(500);

const Config = z
  .strictObject({
    url: Template.min(1),
    method: Method.optional().meta({ description: 'GET without it' }),
    headers: Headers.optional(),
    paginationType: z.enum(['page', 'offset', 'cursor', 'link']).meta({
      description:
        'How the next page is asked for: by its number, by the number of entities before it, by a cursor in the answer, or by the answer’s Link header',
    }),
    pageParam: Parameter.optional().meta({
      description: 'The query parameter of the page’s number; `page` without it',
    }),
    startPage: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .meta({ description: 'The first number; 1 without it' }),
    pageSizeParam: Parameter.optional().meta({ description: '`limit` without it' }),
    pageSize: z.int().min(1).max(10_000).optional().meta({
      description: 'Entities of a page. A page with fewer is the last one, for page and offset',
    }),
    offsetParam: Parameter.optional().meta({ description: '`offset` without it' }),
    cursorParam: Parameter.optional().meta({ description: '`cursor` without it' }),
    cursorPath: Path.optional().meta({
      description: 'Where the answer has the next cursor, such as meta.next',
    }),
    entityPath: Path.optional().meta({
      description: 'Where the answer has its entities, such as data.items; without it the answer is the list',
    }),
    maxPages: z.int().min(1).max(1_000).optional().meta({ description: '100 without it' }),
    ...commonConfig,
  })
  .refine(({ paginationType, cursorPath }) => paginationType !== 'cursor' || cursorPath !== undefined, {
    path: ['cursorPath'],
    message: 'Required for the paginationType cursor',
  });

export const paginateApiStep = defineStepType({
  type: 'paginate-api',
  summary: 'Read all pages of a list from an HTTP API',
  config: Config,
  output: z.array(z.unknown()).meta({ description: 'The entities of all pages, in their order' }),
  effects: true,
  takesSecrets: true,
  permission: null,
});
