import { type SpecTypeName, specTypeSchemas } from '@modelcontextprotocol/server';
import type { ServedMcp } from './served.ts';

const lists = {
  'tools/list': 'ListToolsRequest',
  'prompts/list': 'ListPromptsRequest',
  'resources/list': 'ListResourcesRequest',
  'resources/templates/list': 'ListResourceTemplatesRequest',
} satisfies Record<string, SpecTypeName>;

const requests: ReadonlyMap<string, SpecTypeName> = new Map(
  Object.entries({
    ...lists,
    initialize: 'InitializeRequest',
    'tools/call': 'CallToolRequest',
    'prompts/get': 'GetPromptRequest',
    'resources/read': 'ReadResourceRequest',
    'completion/complete': 'CompleteRequest',
  }),
);

const isServed = ({ prompts, resources, complete }: ServedMcp, method: string): boolean =>
  (!method.startsWith('prompts/') || prompts !== undefined) &&
  (!method.startsWith('resources/') || resources !== undefined) &&
  (!method.startsWith('completion/') || complete !== undefined);

/** With the place of each error: the SDK would dump its validator. Undefined for methods not served. */
export function paramsProblem(
  message: { method?: string | undefined },
  served: ServedMcp,
): string | undefined {
  const { method = '' } = message;
  const type = requests.get(method);
  if (!type || !isServed(served, method)) return undefined;
  const { issues = [] } = specTypeSchemas[type]['~standard'].validate(message);
  if (issues.length === 0) return undefined;
  return issues.map(({ path = [], message: words }) => `${path.map(nameOf).join('.')}: ${words}`).join('\n');
}

const nameOf = (part: PropertyKey | { key: PropertyKey }) =>
  String(typeof part === 'object' ? part.key : part);
