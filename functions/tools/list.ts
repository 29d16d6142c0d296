import * as z from 'zod';
import { ToolListQuery, toolStore } from '../../shared/domain/tools/tool-store.ts';
import { CursorPagination } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ToolResponse, toolListItemExample } from './schemas.ts';

const ToolListItem = ToolResponse.pick({
  id: true,
  name: true,
  description: true,
  toolType: true,
  parametersSchema: true,
  isActive: true,
  createdAt: true,
  updatedAt: true,
}).meta({ id: 'ToolListItem', examples: [toolListItemExample] });

export const listTools = defineEndpoint({
  id: 'tools.list',
  method: 'GET',
  path: '/v1/tools',
  permission: 'TOOLS:READ',
  summary: 'List tools',
  description:
    'Returns the tenant’s tools newest first; GET /v1/tools/builtin returns the built-in ones. Filters combine with AND. A page holds up to 5 MB and may end early: continue with its cursor.',
  query: ToolListQuery,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(ToolListItem), pagination: CursorPagination }) },
  },
  errors: [400],
  needs: { tools: toolStore },

  async handle({ query }, { tools }) {
    const page = await tools.list(query);
    return { data: page.tools, pagination: page.pagination };
  },
});

export const handler = toLambda(listTools);
