import type { AgentsPort } from '../../adapters/ports/agents-port.ts';
import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { AgentContent } from '../../domain/agents/config/agent.ts';
import { agentCredentials } from '../../domain/agents/credentials/agent-credentials.ts';
import type { Message } from '../../domain/conversations/message.ts';
import type { OwnTools } from '../../domain/tools/own-tool-problems.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { joinedParts } from '../agent-loop/compaction.ts';
import { openBudget, type RunBudget, withinBudget } from '../agent-loop/run-budget.ts';
import { replay } from '../agent-loop/state.ts';
import { paidBy } from '../budgets/payers.ts';
import { settleBudgets } from '../budgets/within-budgets.ts';
import type { NumberedEvent } from '../events/agent-run-event.ts';
import { toModelMessages } from '../model-input/to-model-messages.ts';
import { portsAtDepth } from '../step-support/ports-at-depth.ts';
import { portsInside } from '../step-support/ports-inside.ts';
import { agentsPort } from './agents-adapter.ts';
import { chatHistory } from './chat-history.ts';
import { listingOfAgent } from './executions/agent-run-listing.ts';
import type { RunInput } from './input/run-input.ts';
import { isDelegated, runnableConfig } from './input/runnable-config.ts';
import type { TakenRun } from './log/load-run.ts';
import { logFacts } from './log/load-run.ts';
import { openLoop } from './open-loop.ts';
import { type RunContext, runAgent } from './run-agent.ts';
import { callsMaxDefault, isCodeLost, openAgentTools, openCodeCalls } from './tools/agent-tools.ts';

export interface AgentRun extends TakenRun {
  content: AgentContent;
  input: RunInput;
}

export interface ExecuteOptions
  extends Pick<RunContext, 'callerSignal' | 'stopSignal' | 'requestId' | 'isUnread'> {
  ports: Ports;
  budget?: RunBudget | undefined;
  /** For a spawned agent: the tools of the one that spawned it. */
  inherited?: OwnTools | undefined;
  streamed: boolean;
}

export async function* executeAgentRun(
  scope: Scope,
  { content, input, ...taken }: AgentRun,
  options: ExecuteOptions,
): AsyncGenerator<NumberedEvent, void> {
  const { streamed, budget: outer, inherited, ...signals } = options;
  const { execution } = taken;
  const atDepth = portsAtDepth(options.ports, execution.depth);
  const { agentId: id } = execution;
  const ports = id === null ? atDepth : paidBy(atDepth, { type: 'agent', id });
  const config = runnableConfig(content);
  const state = replay([], logFacts(taken.log));
  const budget = openBudget(config.loopConfig?.maxCost, state.totals.cost, outer);
  const codeCalls = openCodeCalls(state);
  if (taken.mayHaveBegun && isCodeLost(state))
    codeCalls.add(undefined, config.tools?.maxToolCalls ?? callsMaxDefault);
  const first = messagesOf(input);

  async function loopWith(agents: AgentsPort, signal: AbortSignal) {
    const isExternal = content.agentType === 'external';
    const called = { config, externalConfig: isExternal ? content.externalConfig : null };
    const { mcpServers, externalConfig, warnings } = await agentCredentials(scope)(execution.agentId, called);
    const isDelegate = isDelegated(content);
    return openLoop(scope, { config, capabilities: content.capabilities }, input, {
      ports: portsInside({ ...withinBudget(ports, budget), agents }, listingOfAgent(execution)),
      budget,
      codeCalls,
      streamed,
      signal,
      externalConfig: isDelegate ? externalConfig : null,
      chatHistory: input.history && chatHistory(scope, input.history, input.messages),
      async openTools(world) {
        const skills = isDelegate ? null : externalConfig;
        const profile = { profile: input.profile, skills, mcpServers, inherited, signal };
        const { clientTools } = input;
        const given = { ...world, ...profile, clientTools };
        const opened = await openAgentTools(config, content.capabilities, given);
        return { ...opened, warnings: [...warnings, ...opened.warnings] };
      },
    });
  }

  const events = runAgent(scope, taken, {
    ...signals,
    async open({ signal, stop }) {
      // Nobody sees what the agents inside say, unless a caller does.
      const seen = streamed && !signals.isUnread;
      const inside = () => ({ ports, budget, streamed: seen, stop, execute: executeAgentRun });
      const agents = agentsPort(
        scope,
        { ...execution, isAgent: true, listing: listingOfAgent(execution) },
        inside,
      );
      const [loop, messages] = await Promise.all([
        loopWith(agents, signal),
        toModelMessages(ports, first, signal),
      ]);
      return { ...loop, messages: withHistory(messages, input.history?.summary) };
    },
  });
  for await (const numbered of events) {
    if (numbered.event.type === 'ended') await settleBudgets(scope);
    yield numbered;
  }
}

const messagesOf = ({ system, history, messages }: RunInput): Message[] => [
  ...[system, history?.instructions ?? ''].map((content) => ({ role: 'system' as const, content })),
  ...messages,
];

/** After the system prompt, if there is one, the summary of what the messages leave out. */
function withHistory(messages: ModelMessage[], summary: string | undefined): ModelMessage[] {
  if (summary === undefined) return messages;
  const isSystem = messages[0]?.role === 'system';
  const [head, recent] = isSystem ? [messages.slice(0, 1), messages.slice(1)] : [[], messages];
  return joinedParts({ head, recent }, summary);
}
