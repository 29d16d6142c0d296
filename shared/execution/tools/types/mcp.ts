import type * as z from 'zod';
import type { McpOutcome, McpRequest } from '../../../adapters/ports.ts';
import { StepError } from '../../../core/step-error.ts';
import { mcpTool } from '../../../domain/tools/tool-types/mcp.ts';
import { authorization } from '../../step-support/http-auth.ts';
import { requestOf } from '../../step-support/http-request.ts';
import { defineToolRunner, type ToolRun } from '../../tool-support/tool-runner.ts';
import { urlOf } from '../../tool-support/tool-url.ts';

type Config = z.output<typeof mcpTool.config>;

const namesMax = 20;

export const mcp = defineToolRunner(mcpTool, {
  async run(call) {
    const { config, args, ports } = call;
    const request = await requestFor(call);
    const outcome = await ports.mcp.callTool({ ...request, toolName: config.toolName, args });
    if ('output' in outcome) return outcome;
    throw failureOf(outcome, config.toolName);
  },
  async preview(call) {
    const { url, headers, timeoutMs } = await requestFor(call);
    return { url, headers, tool: call.config.toolName, arguments: call.args, timeoutMs };
  },
});

async function requestFor(call: ToolRun<Config>): Promise<McpRequest> {
  const { auth, timeoutMs: timeout, url, headers } = call.config;
  const more = { url: await urlOf(call), headers: await authorization(auth, call.render) };
  const request = await requestOf({ url, headers, timeout }, call, more);
  return { url: request.url, headers: request.headers, timeoutMs: request.timeoutMs, signal: call.signal };
}

function failureOf(outcome: Exclude<McpOutcome, { output: unknown }>, toolName: string): StepError {
  if ('missing' in outcome) return new StepError(missingTool(toolName, outcome.missing));
  const { failure, status } = outcome;
  const words = plainStart(failure, 300);
  if (status === 401 || status === 403) {
    return new StepError(
      `The MCP server asks for authorization (${status}): give "auth" or a header in the tool's config${words && `. It answered: ${words}`}`,
    );
  }
  if (status === undefined)
    return new StepError(`The MCP server answered with an error: ${words || 'no text'}`);
  return new StepError(`The MCP server answered ${status}${words && `: ${words}`}`, {
    retryable: status === 429 || status >= 500,
  });
}

function missingTool(toolName: string, names: readonly string[]): string {
  const shown = names.slice(0, namesMax).map((name) => plainStart(name, 64));
  const more = names.length > namesMax ? `, and ${names.length - namesMax} more` : '';
  const has = names.length === 0 ? 'It has none' : `It has ${shown.join(', ')}${more}`;
  return `The MCP server has no tool ${toolName}. ${has}`;
}

/** The beginning of a stranger's text, in one line. Without characters that change what people see around it. */
const plainStart = (text: string, charactersMax: number) =>
  text
    .slice(0, charactersMax * 4)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, charactersMax)
    .toWellFormed();
