import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { ClientToken } from '../client-tokens/client-token.ts';

/** A tool that a page executes. Everything in it is the visitor's. */
export interface PageTool {
  /** As the page names it. */
  name: string;
  description: string;
  parametersSchema: JsonSchema;
  /** `webmcp`: a tool of the page itself; `sdk`: one of the widget. */
  origin?: 'webmcp' | 'sdk' | undefined;
  /** Where the page found it. */
  pageOrigin?: string | undefined;
}

const prefix = 'webmcp:';

/** As `config.clientTools` of a token names it. */
const toListedName = ({ name, origin }: PageTool) =>
  origin === 'webmcp' && !name.startsWith(prefix) ? `${prefix}${name}` : name;

/** As a model gets it, before characters that providers refuse are replaced. */
export const pageToolModelName = (tool: PageTool) => toListedName(tool).replace(prefix, 'webmcp_');

/** The tools that a token allows: none, all (`true`), those with these names, or `webmcp:*` for all of the page itself. */
export function filterAllowedTools(
  { config }: Pick<ClientToken, 'config'>,
  tools: readonly PageTool[],
): PageTool[] {
  const { clientTools: allowed } = config;
  if (allowed === true) return [...tools];
  if (!Array.isArray(allowed)) return [];
  return tools.filter(
    (tool) =>
      allowed.includes(toListedName(tool)) ||
      (toListedName(tool).startsWith(prefix) && allowed.includes(`${prefix}*`)),
  );
}
