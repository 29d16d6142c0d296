import * as z from 'zod';
import { schemaProblems } from '../../adapters/json-schema/json-schema.ts';
import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import { type ErrorDetail, invalid } from '../../core/errors/errors.ts';
import { wellFormed, wellFormedOnly } from '../../core/name.ts';
import {
  filterAllowedTools,
  type PageTool,
  pageToolModelName,
  pageToolSets,
} from '../../domain/client-sessions/page-tool.ts';
import { JsonSchemaText } from '../../domain/flows/steps/common-config.ts';
import type { ClientTool } from '../../execution/agent-runs/agent-input.ts';
import { toToolName } from '../../execution/tools/tool-name.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { SessionContext } from './visitor.ts';

/** All tools of a page together, as JSON: they are stored in one item, and a model gets them with each turn. */
const charactersMax = 100_000;

const Tool = z.object({
  name: z.string().min(1).max(128).refine(wellFormed, wellFormedOnly),
  description: z.string().min(1).max(4_000).refine(wellFormed, wellFormedOnly),
  parametersSchema: JsonSchemaText.refine(({ type }) => type === 'object', {
    path: ['type'],
    message: 'Expected "object"',
  }),
  origin: z.enum(['webmcp', 'sdk']).optional(),
  pageOrigin: z.string().max(500).refine(wellFormed, wellFormedOnly).optional(),
});

/** What a request says of the tools of its page. Their further members are the widget's. */
export const toolMembers = {
  clientTools: z
    .array(Tool)
    .max(64)
    .superRefine((tools, context) => {
      if (JSON.stringify(tools).length > charactersMax)
        context.addIssue(`The tools have at most ${charactersMax} characters of JSON together`);
      const names = tools.map((tool) => toToolName(pageToolModelName(tool)));
      for (const [index, name] of names.entries()) {
        if (names.indexOf(name) < index)
          context.addIssue({ code: 'custom', path: [index, 'name'], message: 'Another tool has this name' });
      }
    })
    .optional()
    .meta({
      description:
        'Tools that the page executes, for an agent. Only those that `config.clientTools` of the token allows are used, and none that has the name of a tool of the agent',
    }),
  clientToolsFingerprint: z.string().min(1).max(128).refine(wellFormed, wellFormedOnly).optional().meta({
    description: 'Names the tools. Without `clientTools`: those that the session sent with it before',
  }),
};

export const pageTools = /* @__PURE__ */ using([pageToolSets, sandbox], (scope: Scope) => ({
  /** @returns undefined if it says nothing of tools. @throws 400 for an invalid schema; 409 for an unknown fingerprint. */
  async of(
    { token, session }: SessionContext,
    request: { clientTools?: PageTool[] | undefined; clientToolsFingerprint?: string | undefined },
  ): Promise<ClientTool[] | undefined> {
    const { clientTools: sent, clientToolsFingerprint: fingerprint } = request;
    await checkSchemas(scope, sent ?? []);
    const tools = await pageToolSets(scope).resolve(session.hash, { tools: sent, fingerprint });
    return tools && filterAllowedTools(token, tools).map(toRun);
  },
}));

const toRun = (tool: PageTool): ClientTool => {
  const { name, description, parametersSchema, origin, pageOrigin } = tool;
  const page = { name, ...(origin && { origin }), ...(pageOrigin && { pageOrigin }) };
  return { name: pageToolModelName(tool), description, parametersSchema, page };
};

async function checkSchemas(scope: Scope, tools: readonly PageTool[]): Promise<void> {
  const found = tools.map(async ({ parametersSchema }, index) =>
    (await schemaProblems(sandbox(scope), parametersSchema)).map(({ path, message }): ErrorDetail => {
      const at = `clientTools.${index}.parametersSchema${path && `.${path}`}`;
      return { path: at, code: 'INVALID_SCHEMA', message };
    }),
  );
  const problems = (await Promise.all(found)).flat();
  if (problems.length > 0) throw invalid(problems);
}
