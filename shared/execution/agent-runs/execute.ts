import type { Ports } from '../../adapters/ports.ts';
import type { AgentContent } from '../../domain/agents/agent.ts';
import type { Message } from '../../domain/conversations/message.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { toModelMessages } from '../model-input/to-model-messages.ts';
import type { AgentExecution } from './agent-execution.ts';
import { openAgentTools } from './open-agent-tools.ts';
import { openRun } from './open-run.ts';
import { type RunContext, runAgent, type TakenRun } from './run-agent.ts';
import type { NumberedEvent } from './run-event.ts';
import type { RunInput } from './run-input.ts';
import type { Entry } from './run-log.ts';

/** A run to execute: what it was started with, and its log so far. */
export interface Run {
  execution: AgentExecution;
  content: AgentContent;
  input: RunInput;
  log: readonly Entry[];
  /** Facts with which this process takes the run; empty for a new one. */
  opening: TakenRun['opening'];
  mayHaveBegun: boolean;
}

export interface ExecuteOptions extends Pick<RunContext, 'callerSignal' | 'stopSignal' | 'requestId'> {
  ports: Ports;
  /** Whether models stream their responses. */
  streamed: boolean;
}

/** Executes a run, and yields its events. */
export async function* execute(
  scope: Scope,
  { execution, content, input, log, opening, mayHaveBegun }: Run,
  { ports, streamed, ...signals }: ExecuteOptions,
): AsyncGenerator<NumberedEvent, void> {
  const last = log.at(-1);
  const taken: TakenRun = {
    ...{ execution, opening, mayHaveBegun, isNew: !last },
    facts: log.map(({ fact }) => fact),
    nextFact: (last?.n ?? -1) + 1,
    nextSeq: (last?.lastSeq ?? -1) + 1,
  };
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
