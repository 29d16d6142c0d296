import * as z from 'zod';
import { defineStep } from '../step.ts';
import { Template } from '../templates.ts';
import { Headers, Method, refused, rendered } from './http-request.ts';
import { plainMembers } from './members.ts';

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
    ...plainMembers,
  })
  .refine(({ paginationType, cursorPath }) => paginationType !== 'cursor' || cursorPath !== undefined, {
    path: ['cursorPath'],
    message: 'Required for the paginationType cursor',
  });

export const paginateApiStep = defineStep({
  type: 'paginate-api',
  summary: 'Read all pages of a list from an HTTP API',
  config: Config,
  output: z.array(z.unknown()).meta({ description: 'The entities of all pages, in their order' }),
  effects: true,
  takesSecrets: true,
  permission: null,
  async run({ config, render, ports: { fetch }, signal }) {
    const { method = 'GET', headers = {}, paginationType, pageSize, entityPath } = config;
    const { paginate } = await import('../../web/paginate.ts');
    const output = await paginate({
      url: (await render(config.url)).trim(),
      paginationType,
      pageParam: config.pageParam ?? 'page',
      startPage: config.startPage ?? 1,
      pageSizeParam: config.pageSizeParam ?? 'limit',
      pageSize,
      offsetParam: config.offsetParam ?? 'offset',
      cursorParam: config.cursorParam ?? 'cursor',
      cursorPath: config.cursorPath ?? '',
      entityPath,
      maxPages: config.maxPages ?? 100,
      request: {
        method,
        headers: { accept: 'application/json', ...(await rendered(headers, render)) },
        signal,
      },
      fetch,
      refused: (answer) => refused(answer.url, answer),
    });
    return { output };
  },
});
