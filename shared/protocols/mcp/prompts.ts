import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import { isMembers, toPromptMessages } from '../../adapters/mcp-server/content.ts';
import type { Completion } from '../../adapters/mcp-server/served.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import type { OutwardRun } from '../surface/outward.ts';
import { readOutcome } from './outcome.ts';
import { describedAs, endpointSlugs, exposedToolName } from './tools.ts';

type Members = Record<string, unknown>;

export interface ItemPrompt {
  exposed: ExposedItem;
  prompt: Prompt;
}

/** @param all The items of the surface, also those that the caller may not run. */
export function itemPrompts(items: readonly ExposedItem[], all: readonly ExposedItem[]): ItemPrompt[] {
  const slugs = endpointSlugs(all);
  return items.map((exposed) => ({ exposed, prompt: promptOf(exposed, exposedToolName(exposed, slugs)) }));
}

function promptOf(exposed: ExposedItem, name: string): Prompt {
  const { required } = exposed.capability.parametersSchema ?? {};
  const args = Object.entries(propertiesOf(exposed)).map(([argument, { description }]) => ({
    name: argument,
    ...(typeof description === 'string' && { description }),
    required: Array.isArray(required) && required.includes(argument),
  }));
  return { ...describedAs(exposed, name), arguments: args };
}

function propertiesOf({ capability }: ExposedItem): Record<string, Members> {
  const { properties } = capability.parametersSchema ?? {};
  if (!isMembers(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isMembers(schema) ? schema : {}]),
  );
}

/** Arguments of prompts are texts. Where the schema wants another type, the text is its JSON. */
export function promptParameters(exposed: ExposedItem, args: Record<string, string>): Members {
  const properties = propertiesOf(exposed);
  return Object.fromEntries(
    Object.entries(args).map(([name, text]) => {
      const types = [properties[name]?.type ?? 'string'].flat();
      return [name, types.includes('string') ? text : jsonIn(text)];
    }),
  );
}

/** The value, or the text itself if it is none, which the check of the parameters refuses. */
function jsonIn(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}

/** The messages that a run gives. Prompts have no progress. */
export async function promptResult(
  run: OutwardRun,
  signal: AbortSignal,
): Promise<GetPromptResult | { failure: string }> {
  const outcome = await readOutcome(run, signal, async () => {});
  if ('output' in outcome) return { messages: toPromptMessages(outcome.output) };
  return { failure: 'failure' in outcome ? outcome.failure : outcome.waiting };
}

/** The values that the schema of an argument lists. */
export function completedArgument(
  exposed: ExposedItem,
  { name, value }: { name: string; value: string },
): Completion | undefined {
  const schema = propertiesOf(exposed)[name];
  if (!schema) return undefined;
  const { type, enum: listed = type === 'boolean' ? ['true', 'false'] : [] } = schema;
  const values = (Array.isArray(listed) ? listed : []).map((each) =>
    typeof each === 'string' ? each : JSON.stringify(each),
  );
  const wanted = value.toLowerCase();
  return { values: values.filter((each) => each.toLowerCase().startsWith(wanted)) };
}
