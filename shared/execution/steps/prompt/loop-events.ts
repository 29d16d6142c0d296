import type { StepEvent } from '../../../domain/flows/steps/step.ts';
import type { LoopEvent } from '../../agent-loop/loop.ts';
import type { ToolCallResult } from '../../agent-loop/tool-calls.ts';
import type { RunnableTool } from '../../tools/runnable-tool.ts';

type Emit = ((event: StepEvent) => Promise<void> | void) | undefined;

/** Maps the events of a loop to those of a step: each text and each reasoning begins and ends. */
export function openLoopEvents(tools: readonly RunnableTool[], emit: Emit) {
  const typeOf = (name: string) => tools.find((tool) => tool.name === name)?.type ?? 'unknown';
  const started = new Set<string>();
  let texts = 0;
  let text: string | undefined;
  let reasoning: string | undefined;

  async function endReasoning(): Promise<void> {
    if (reasoning !== undefined) await emit?.({ type: 'reasoning_complete', text: reasoning });
    reasoning = undefined;
  }

  async function startText(): Promise<void> {
    if (text === undefined) await emit?.({ type: 'text_start' });
    text ??= '';
  }

  async function startTool(id: string, name: string): Promise<void> {
    if (started.has(id)) return;
    started.add(id);
    await emit?.({ type: 'tool_start', toolCallId: id, toolName: name, toolType: typeOf(name) });
  }

  async function endTurn(whole: string, isLast: boolean): Promise<void> {
    await endReasoning();
    // A response without a text has no text events, unless it is the only one.
    if (isLast && texts === 0) await startText();
    if (text !== undefined) {
      await emit?.({ type: 'text_complete', text: whole });
      texts++;
    }
    text = undefined;
  }

  return async (event: LoopEvent): Promise<void> => {
    if (!emit) return;
    if (event.type !== 'reasoning-delta') await endReasoning();
    switch (event.type) {
      case 'text-delta':
        await startText();
        return emit({ type: 'text_delta', delta: event.text });
      case 'reasoning-delta':
        if (reasoning === undefined) await emit({ type: 'reasoning_start' });
        reasoning = (reasoning ?? '') + event.text;
        return emit({ type: 'reasoning_delta', delta: event.text });
      case 'tool-call-delta':
        await startTool(event.id, event.name);
        return emit({ type: 'tool_input_delta', toolCallId: event.id, delta: event.text });
      case 'tool-call':
        await startTool(event.id, event.name);
        return emit({
          type: 'tool_input_complete',
          toolCallId: event.id,
          parameters: event.input ?? event.text,
        });
      case 'source': {
        const { id, title, url } = event;
        return emit({ type: 'source', source: { id, title, url } });
      }
      case 'turn':
        return endTurn(event.response.text, event.response.toolCalls.length === 0);
      case 'tool-result':
        return emit(toolComplete(event.result));
    }
  };
}

function toolComplete({ call, part, durationMs }: ToolCallResult): StepEvent {
  const { id: toolCallId, name: toolName } = call;
  const outcome = part.failed
    ? { success: false, error: String(part.output) }
    : { success: true, result: part.output };
  return { type: 'tool_complete', toolCallId, toolName, ...outcome, executionTime: durationMs };
}
