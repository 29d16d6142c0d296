import { McpServer, type Tool } from '@modelcontextprotocol/server';
import { walkSubschemas } from '../json-schema/subschemas.ts';
import { headerName } from '../mcp-client/param-headers.ts';
import type { ServedMcp } from './served.ts';

/** The headers that the tool of a call wants its arguments in too (`x-mcp-header`). Others are no headers, and clients refuse their tool. */
export function paramHeaderNames(
  params: Record<string, unknown> | undefined,
  { tools }: ServedMcp,
): string[] {
  const parts = [...walkSubschemas(toolOf(params?.name, tools.all)?.inputSchema)];
  return parts.flatMap(({ schema: { 'x-mcp-header': name } }) =>
    typeof name === 'string' && headerName.test(name) ? [`mcp-param-${name.toLowerCase()}`] : [],
  );
}

/** The SDK compares these headers with the arguments if it finds the schema of the tool here. */
export class HeaderCheckingServer extends McpServer {
  readonly #tools: readonly Tool[];

  constructor(tools: readonly Tool[], ...given: ConstructorParameters<typeof McpServer>) {
    super(...given);
    this.#tools = tools;
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return toolOf(name, this.#tools)?.inputSchema;
  }
}

const toolOf = (asked: unknown, all: readonly Tool[]) => all.find(({ name }) => name === asked);
