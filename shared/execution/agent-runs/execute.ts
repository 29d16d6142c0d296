import type { Ports } from '../../adapters/ports.ts';
import type { AgentContent } from '../../domain/agents/agent.ts';
import { agentCredentials } from '../../domain/agents/agent-credentials.ts';
import type { Message } from '../../domain/conversations/message.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { toModelMessages } from '../model-input/to-model-messages.ts';
import { openAgentTools } from './open-agent-tools.ts';
import { openRun } from './open-run.ts';
import { type RunContext, type RunSignals, runAgent, type TakenRun } from './run-agent.ts';
import type { NumberedEvent } from './run-event.ts';
import type { RunInput } from './run-input.ts';
import { runSubAgent } from './run-sub-agent.ts';
import { subAgentsOf } from './sub-agents.ts';

/** A run to execute: what it was started with, and its log so far. */
export interface Run extends TakenRun {
  content: AgentContent;
  input: RunInput;
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
  options: ExecuteOptions,
): AsyncGenerator<NumberedEvent, void> {
  const { ports, streamed, ...signals } = options;
  const { execution } = taken;
  const first: Message[] = [{ role: 'system', content: input.system }, ...input.messages];
  const model = input.modelOverride ?? content.config?.model ?? 'default';

  async function openTools(metered: Ports, { signal, stop }: RunSignals) {
    const subAgents = subAgentsOf(execution, model, (subRun) =>
      runSubAgent(scope, execution, subRun, (child, callerSignal) =>
        execute(scope, child, { ports, streamed, callerSignal, stopSignal: stop }),
      ),
    );
    const { mcpServers, warnings } = await agentCredentials(scope)(execution.agentId, content);
    const memory = { profile: input.profile, model };
    const opened = await openAgentTools(content, { ports: metered, mcpServers, subAgents, memory, signal });
    return { ...opened, warnings: [...warnings, ...opened.warnings] };
  }

  yield* runAgent(scope, taken, {
    ...signals,
    async open(runSignals) {
      const { signal } = runSignals;
      const [run, messages] = await Promise.all([
        openRun(scope, content, input, {
          ...{ ports, streamed, signal },
          openTools: (metered) => openTools(metered, runSignals),
        }),
        toModelMessages(ports, first, signal),
      ]);
      return { ...run, messages };
    },
  });
}
