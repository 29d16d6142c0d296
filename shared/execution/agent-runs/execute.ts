import type { Ports } from '../../adapters/ports.ts';
import type { AgentContent } from '../../domain/agents/agent.ts';
import type { Message } from '../../domain/conversations/message.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { toModelMessages } from '../model-input/to-model-messages.ts';
import { openAgentTools } from './open-agent-tools.ts';
import { openRun } from './open-run.ts';
import { type RunContext, runAgent, type TakenRun } from './run-agent.ts';
import type { NumberedEvent } from './run-event.ts';
import type { RunInput } from './run-input.ts';

/** A run to execute: what it was started with, and its log so far. */
export interface Run extends TakenRun {
  content: AgentContent;
  input: RunInput;
  /** The number of the last event that readers have got; -1 for a new run. */
  toldSeq: number;
}

export interface ExecuteOptions extends Pick<RunContext, 'callerSignal' | 'stopSignal' | 'requestId'> {
  ports: Ports;
  /** Whether models stream their responses. */
  streamed: boolean;
}

/** Executes a run, and yields its events. */
export async function* execute(
  scope: Scope,
  { content, input, ...taken }: Run,
  { ports, streamed, ...signals }: ExecuteOptions,
): AsyncGenerator<NumberedEvent, void> {
  const first: Message[] = [{ role: 'system', content: input.system }, ...input.messages];
  yield* runAgent(scope, taken, {
    ...signals,
    async open(signal) {
      const openTools = (metered: Ports) => openAgentTools(metered, content);
      const [run, messages] = await Promise.all([
        openRun(scope, content, input, { ports, streamed, signal, openTools }),
        toModelMessages(ports, first, signal),
      ]);
      return { ...run, messages };
    },
  });
}
