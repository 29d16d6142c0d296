import * as z from 'zod';
import { PagePagination, PageQuery } from '../../../platform/data/lists/numbered-pages.ts';

const Status = z.enum(['completed', 'failed']);
const Moment = z.iso.datetime({ offset: true }).optional();
const text = z.string().nullable();

export const RunResultQuery = PageQuery.extend({
  status: Status.optional(),
  promptId: z.string().min(1).max(255).optional().meta({ description: 'The id of a prompt step' }),
  from: Moment.meta({ description: 'Created at or after this time' }),
  to: Moment.meta({ description: 'Created at or before this time' }),
  sortBy: z.enum(['createdAt', 'status']).default('createdAt'),
  sortOrder: z.enum(['asc', 'desc']).default('desc'),
});
export type RunResultQuery = z.output<typeof RunResultQuery> & { flowId?: string | undefined };

export const RunResultPage = z.object({
  data: z.array(
    z
      .object({
        id: z.string().meta({ description: 'The id of the execution' }),
        recordId: z.string(),
        flowId: text,
        flowName: text.meta({ description: 'The name when the run ended' }),
        promptId: text.meta({ description: 'The last step of the run that called a model with a prompt' }),
        promptName: text,
        status: Status,
        result: z.unknown().optional().meta({
          description: 'The output of the last completed step; omitted if the response has no room for it',
        }),
        createdAt: z.string().meta({ description: 'When the run started' }),
      })
      .meta({ id: 'RunResult' }),
  ),
  pagination: PagePagination,
});
