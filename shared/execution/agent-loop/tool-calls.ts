import type { ModelResponse, ToolResultPart } from '../../adapters/model-port.ts';
import { characterCount } from '../../core/json-texts.ts';
import { mapConcurrently } from '../../core/map-concurrently.ts';
import { StepError } from '../../core/step-error.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';

export interface ToolLimits {
  /** Of all tools together, with the calls that are refused. */
  callsMax: number;
  /** Of single tools, by name or id. */
  callsMaxOf?: Readonly<Record<string, number>> | undefined;
}

type ToolCall = ModelResponse['toolCalls'][number];

/** The result of one tool call, as the model receives it. */
export interface ToolCallResult {
  call: ToolCall;
  part: ToolResultPart;
  durationMs: number;
}

export interface ToolResultEvent {
  type: 'tool-result';
  result: ToolCallResult;
}

/** How many tools run at the same time. */
const atOnce = 5;
/** A model's context holds little more. */
const outputCharactersMax = 200_000;

/** The tool calls of a loop, with their limits. */
export function openToolCalls(
  tools: readonly RunnableTool[],
  { callsMax, callsMaxOf = {} }: ToolLimits,
  signal: AbortSignal,
) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const counts = new Map<string, number>();
  let count = 0;

  /** Why a call does not run; undefined if it does. Counts both, so that a model that never calls rightly ends too. */
  function refusal(call: ToolCall, tool: RunnableTool | undefined): string | undefined {
    if (count >= callsMax) return `The limit of ${callsMax} tool calls is reached; answer with what you have`;
    count++;
    if (!tool) return `There is no tool ${call.name}; the tools are ${[...byName.keys()].join(', ')}`;
    if (call.input === undefined) return 'The arguments are not valid JSON';
    const own = callsMaxOf[tool.name] ?? callsMaxOf[tool.id] ?? Number.POSITIVE_INFINITY;
    const made = counts.get(tool.id) ?? 0;
    if (made >= own) return `The limit of ${own} calls of ${tool.name} is reached; answer with what you have`;
    counts.set(tool.id, made + 1);
    return undefined;
  }

  return {
    areLeft: () => count < callsMax,

    /** Runs the calls side by side. Yields each result when it is there; returns all in the order of the calls. */
    async *run(calls: readonly ToolCall[]): AsyncGenerator<ToolResultEvent, ToolCallResult[]> {
      const admitted = calls.map((call) => {
        const tool = byName.get(call.name);
        return { call, tool, refused: refusal(call, tool) };
      });
      const results = new Map<ToolCall, ToolCallResult>();
      for await (const result of mapConcurrently(admitted, atOnce, (each) => runCall(each, signal))) {
        results.set(result.call, result);
        yield { type: 'tool-result', result };
      }
      return calls.flatMap((call) => results.get(call) ?? []);
    },
  };
}

interface Admitted {
  call: ToolCall;
  tool: RunnableTool | undefined;
  refused: string | undefined;
}

async function runCall({ call, tool, refused }: Admitted, signal: AbortSignal): Promise<ToolCallResult> {
  const began = performance.now();
  const { id, name } = call;
  const resultOf = (output: unknown, failed: boolean): ToolCallResult => ({
    call,
    part: { type: 'tool-result', id, name, output, ...(failed && { failed }) },
    durationMs: Math.round(performance.now() - began),
  });
  if (!tool || refused !== undefined) return resultOf(refused, true);
  try {
    const outcome = await tool.run(call.input, signal);
    if ('awaitsCaller' in outcome) throw new StepError('only the caller of the run can execute this tool');
    const characters = characterCount(outcome.output, outputCharactersMax);
    if (characters <= outputCharactersMax) return resultOf(outcome.output ?? null, false);
    throw new StepError(`the output has more than ${outputCharactersMax} characters; ask for less`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StepError) return resultOf(error.message, true);
    throw error;
  }
}
