/**
 * The tool in which an agent writes code: its description with the signatures of the callable tools, and the sandboxed
 * run.
 * Calls from code go through `call`, which counts and limits them like the model's own (`agent-runs/agent-tools.ts`);
 * each is a span event, and has an id that derives from the call of the code. The output is the result of the code and
 * what it wrote to the console.
 * Not repeatable: after a crash nobody knows what the code has called.
 */
import * as z from 'zod';
import { evaluateWithTools } from '../../adapters/code/evaluate-with-tools.ts';
import { resultCharactersMax } from '../../adapters/code/tool-program-limits.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { getActiveSpan, runInSpan } from '../../core/active-span.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { truncate } from '../../core/text.ts';
import type { CodeModeConfig } from '../../domain/agents/config/agent-config.ts';
import { actKey } from '../step-support/acts.ts';
import type { RunnableTool, ToolCallContext } from '../tools/call-tool.ts';
import { defineAgentTool } from './agent-tool.ts';

export const runCodeToolName = 'run_code';

export interface CodeMode {
  ports: Pick<Ports, 'sandbox'>;
  config: Pick<CodeModeConfig, 'description' | 'timeoutMs'>;
  /** Those of the pool, with unique names. Without tools that need an approval or the caller: code cannot wait. */
  tools: readonly RunnableTool[];
  callsMax: number;
  /** Makes a call, which counts as the run's own. @throws StepError that the code sees, as if the tool failed */
  call: (
    tool: RunnableTool,
    args: unknown,
    signal: AbortSignal,
    context: ToolCallContext | undefined,
  ) => Promise<unknown>;
}

const timeoutMsDefault = 60_000;
const codeCharactersMax = 50_000;

export function runCodeTool({ ports, config, tools, callsMax, call }: CodeMode): RunnableTool {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const timeoutMs = config.timeoutMs ?? timeoutMsDefault;

  function openCalls(whole: ToolCallContext | undefined) {
    let count = 0;
    return async (name: string, args: unknown, signal: AbortSignal): Promise<unknown> => {
      const tool = byName.get(name);
      if (!tool)
        throw new StepError(`There is no tool ${name}; the tools are ${[...byName.keys()].join(', ')}`);
      count++;
      return call(tool, args, signal, whole && { id: actKey(whole.id, String(count), args), emit() {} });
    };
  }

  return defineAgentTool({
    name: runCodeToolName,
    description: truncate(config.description ?? purpose, descriptionCharactersMax),
    parameters: z.strictObject({
      code: z
        .string()
        .min(1)
        .max(codeCharactersMax)
        .meta({ description: describeCode(tools, { timeoutMs, callsMax }) }),
    }),
    type: 'custom',
    async perform({ code }, signal, whole) {
      // The thread that runs the code calls back outside of the span.
      const span = getActiveSpan();
      const callByName = openCalls(whole);
      const callInSpan: typeof callByName = (...callArguments) =>
        runInSpan(span, () => callByName(...callArguments));
      const runOptions = {
        code,
        toolNames: [...byName.keys()],
        callsMax,
        timeoutMs,
        signal,
        call: callInSpan,
      };
      const outcome = await evaluateWithTools(ports.sandbox, runOptions);
      const written = outcome.console.join('\n');
      if ('error' in outcome) {
        throw new StepError(`The code ${outcome.error}${written && `\nConsole:\n${written}`}`);
      }
      const result: unknown = outcome.json === undefined ? null : parseExact(outcome.json);
      return { output: { result, ...(written && { console: written }) } };
    },
  });
}

/** OpenAI rejects longer descriptions of tools, but not of parameters. */
const descriptionCharactersMax = 1_024;

const purpose =
  'Runs JavaScript that can call tools. Use it to combine several calls, to repeat a call, or to filter and compute with results instead of reading them all.';

const describeCode = (
  tools: readonly RunnableTool[],
  { timeoutMs, callsMax }: { timeoutMs: number; callsMax: number },
) =>
  [
    'The body of an async function: use await, and return the result as JSON data. console.log adds lines to the result. A call that fails throws an Error. There is no network, file system, timer or import; nothing survives a run. Calls that you do not await are cancelled.',
    `Limits: ${timeoutMs / 1_000} seconds, ${callsMax} tool calls, ${resultCharactersMax} characters of result.`,
    toToolSignatures(tools),
  ].join('\n\n');

const levelsMax = 6;
const charactersMax = 2_000;

/** The tools as TypeScript, for a model that writes code. */
export const toToolSignatures = (
  tools: readonly Pick<RunnableTool, 'name' | 'description' | 'parameters'>[],
) => `declare const tools: {\n${tools.map(toSignature).join('\n')}\n};`;

function toSignature({
  name,
  description,
  parameters,
}: Pick<RunnableTool, 'name' | 'description' | 'parameters'>) {
  const type = toType(parameters, 0);
  const args = type.length <= charactersMax ? type : 'Record<string, unknown>';
  return `  /** ${toComment(description)} */\n  ${toMemberName(name)}(args: ${args}): Promise<any>;`;
}

function toType(schema: unknown, level: number): string {
  if (typeof schema !== 'object' || schema === null || level > levelsMax) return 'unknown';
  const { type, enum: values, const: value, anyOf, oneOf, properties, items } = schema as JsonSchema;
  if (value !== undefined) return literal(value);
  if (Array.isArray(values)) return toUnion(values.map(literal));
  const options = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (options) return toUnion(options.map((option) => toType(option, level + 1)));
  if (Array.isArray(type)) return toUnion(type.map((each) => toType({ ...schema, type: each }, level + 1)));
  if (type === 'object' || (type === undefined && properties))
    return toObjectType(schema as JsonSchema, level);
  if (type === 'array') return `Array<${toType(items, level + 1)}>`;
  return typeof type === 'string' ? (plainTypes[type] ?? 'unknown') : 'unknown';
}

const plainTypes: Partial<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function toObjectType({ properties, required }: JsonSchema, level: number): string {
  const members = Object.entries((properties ?? {}) as Record<string, unknown>);
  if (members.length === 0) return 'Record<string, unknown>';
  const needed = new Set(Array.isArray(required) ? required : []);
  const memberTexts = members.map(([name, schema]) => {
    const { description } = (schema ?? {}) as { description?: unknown };
    const comment = typeof description === 'string' ? `/** ${toComment(description)} */ ` : '';
    return `${comment}${toMemberName(name)}${needed.has(name) ? '' : '?'}: ${toType(schema, level + 1)}`;
  });
  return `{ ${memberTexts.join('; ')} }`;
}

const toUnion = (types: readonly string[]) => [...new Set(types)].join(' | ') || 'unknown';
const literal = (value: unknown) => JSON.stringify(value) ?? 'unknown';
const toMemberName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
/** On one line, and without an end of the comment. */
const toComment = (text: string) => text.replace(/\s+/g, ' ').replaceAll('*/', '* /').slice(0, 500).trim();
