import * as z from 'zod';
import { flowFinder } from '../../shared/domain/flows/flow-store.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const FlowListItem = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    lastRunAt: z.string().nullable(),
  })
  .meta({ id: 'FlowListItem' });

export const listFlows = defineEndpoint({
  id: 'flows.list',
  method: 'GET',
  path: '/v1/flows',
  permission: 'FLOWS:READ',
  summary: 'List flows',
  description: 'Returns flows newest first. `search` matches a part of the name, case-insensitively.',
  query: CursorQuery.extend({ search: z.string().max(255).optional() }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(FlowListItem), pagination: CursorPagination }) },
  },
  errors: [400],
  needs: { flows: flowFinder },

  async handle({ query }, { flows }) {
    const { rows, pagination } = await flows.list(query);
    return { data: z.array(FlowListItem).parse(rows), pagination };
  },
});

export const handler = toLambda(listFlows);
