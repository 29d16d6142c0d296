import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { Headers, isSafe, Method } from '../steps/http-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

const Parameter = z.string().min(1).max(100);
const Path = z.string().min(1).max(500);

const Config = z
  .strictObject({
    url: Template.min(1),
    method: Method.optional().meta({ description: 'Default: GET' }),
    headers: Headers.optional(),
    paginationType: z.enum(['page', 'offset', 'cursor', 'link']).meta({
      description:
        'How to request the next page: by page number, by the offset of its first entity, by a cursor from the response, or by the Link header of the response',
    }),
    pageParam: Parameter.optional().meta({
      description: 'The query parameter for the page number. Default: `page`',
    }),
    startPage: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .meta({ description: 'The number of the first page. Default: 1' }),
    pageSizeParam: Parameter.optional().meta({ description: 'Default: `limit`' }),
    pageSize: z.int().min(1).max(10_000).optional().meta({
      description:
        'Entities to request per page. The API may return fewer: for page and offset, an empty page is the last one',
    }),
    offsetParam: Parameter.optional().meta({ description: 'Default: `offset`' }),
    cursorParam: Parameter.optional().meta({ description: 'Default: `cursor`' }),
    cursorPath: Path.optional().meta({
      description:
        'The path of the next cursor in the response, such as meta.next. The address of the next page works too',
    }),
    entityPath: Path.optional().meta({
      description:
        'The path of the entities in the response, such as data.items. Default: the response is the list',
    }),
    maxPages: z.int().min(1).max(1_000).optional().meta({
      description: 'Reads only so many pages. Without it, the step fails if there are more than 100',
    }),
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
  output: z.array(z.unknown()).meta({ description: 'The entities of all pages, in order' }),
  effects: true,
  acts: ({ method }) => !isSafe(method),
  reusable: true,
  takesSecrets: 'credentials',
  callsModels: false,
  permission: null,
});
