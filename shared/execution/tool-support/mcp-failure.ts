import type { McpFailure } from '../../adapters/ports/mcp-port.ts';
import { failureOfStatus, StepError } from '../../core/errors/step-error.ts';
import { plainStart } from '../../core/text.ts';

const namesMax = 20;

/** @param giveAuth What to do if the server asks for authorization. */
export function describeMcpFailure(
  outcome: McpFailure | { missing: string[] },
  toolName: string,
  giveAuth: string,
): StepError {
  if ('missing' in outcome) return new StepError(describeMissingTool(toolName, outcome.missing));
  const { failure, status } = outcome;
  const words = plainStart(failure, 300);
  if (status === 401 || status === 403) {
    return new StepError(
      `The MCP server asks for authorization (${status}): ${giveAuth}${words && `. It answered: ${words}`}`,
    );
  }
  if (status === undefined)
    return new StepError(`The MCP server answered with an error: ${words || 'no text'}`);
  return new StepError(`The MCP server answered ${status}${words && `: ${words}`}`, {
    ...failureOfStatus(status),
  });
}

function describeMissingTool(toolName: string, names: readonly string[]): string {
  const shown = names.slice(0, namesMax).map((name) => plainStart(name, 64));
  const more = names.length > namesMax ? `, and ${names.length - namesMax} more` : '';
  const has = names.length === 0 ? 'It has none' : `It has ${shown.join(', ')}${more}`;
  return `The MCP server has no tool ${toolName}. ${has}`;
}
